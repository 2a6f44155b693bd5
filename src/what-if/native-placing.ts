// Stage: trace -> what-if. The survey and the placing by the native engine (engine/placing): the same numbers as
// survey.ts and placed-trace.ts, of several ways at a time.

import { tmpdir } from 'node:os';
import type { DprofError } from '../base/dprof-error.js';
import type { ReplayInput, ThreadChunks } from '../contract/input.js';
import type { Schedule } from '../contract/machine.js';
import { addonInput, ask, loadAddon } from '../replay/native-engine.js';
import { spillPlace } from '../replay/replay.js';
import { STRIDE_EXCERPTS, WHOLE, type Excerpts } from './excerpts.js';
import { needsOrder } from './iteration-order.js';
import { isUnion } from './layout-change.js';
import type { LoopChanges } from './loop-change.js';
import type { PlacedObjects } from './placed-objects.js';
import { takenApart, tornApart } from './placed-step.js';
import type { PlacedTrace } from './placed-trace.js';
import { elementOffsets, type Survey } from './survey-columns.js';
import { kinOf } from './type-kin.js';
import type { Part, TypeLayout } from './type-layout.js';
import type { RecordVariant, SlotVariant } from './variant-records.js';

/** What engine/addon/placing_addon.cpp answers of a way that some step refuses: its slot. */
interface RefusedWay {
  readonly separated?: number;
  readonly scattered?: number;
  readonly outOfOrder?: number;
}

/** Of one that all steps go. */
interface NativeWay {
  readonly moved: number;
  readonly descriptor: number;
  readonly split: number;
  readonly pointerLoads: number;
  readonly threads: readonly ThreadChunks[];
  readonly slots: { readonly [Name in keyof SlotVariant]: Uint32Array };
  readonly records: readonly RecordVariant[];
}

export async function surveyNatively(input: ReplayInput, excerpts = STRIDE_EXCERPTS): Promise<Survey> {
  const { slots, types } = input.catalog;
  const { whole, part, at } = kinOf(input.catalog);
  const facts = {
    elementOffset: elementOffsets(slots),
    typeBytes: Float64Array.from(types.sizeBytes),
    isUnion: Uint8Array.from({ length: types.count }, (_, type) => Number(isUnion(input.catalog, type))),
    kinWhole: whole,
    kinPart: part,
    kinAt: at,
  };
  return (await ask(input, () => loadAddon().survey(inputOf(input), facts, excerpts))) as Survey;
}

/** A way to lay out the run, and to go through its loops. */
export interface PlacingWay {
  readonly placed: PlacedObjects;
  readonly loops: LoopChanges | null;
}

/** The caller closes each way's descriptor. Steps may refuse a way. */
export async function placeNatively(
  input: ReplayInput,
  ways: readonly PlacingWay[],
  excerpts: Excerpts = WHOLE,
): Promise<(PlacedTrace | DprofError)[]> {
  const answer = await ask(input, () => loadAddon().placeTraces(inputOf(input), ways.map(wayOf), tmpdir(), excerpts));
  return (answer as (NativeWay | RefusedWay)[]).map((way) => {
    if (!('descriptor' in way)) {
      const { separated, scattered, outOfOrder } = way;
      if (scattered !== undefined) return takenApart(input.catalog, scattered);
      return separated === undefined ? needsOrder(input.catalog, outOfOrder!) : tornApart(input.catalog, separated);
    }
    const { slots, records, ...rest } = way;
    const variants = Array.from(slots.slot, (slot, row) => ({
      slot,
      sizeBytes: slots.sizeBytes[row],
      further: slots.further[row],
    }));
    return { ...rest, variants: { slots: variants, records } };
  });
}

/** By default in an order that depends on no machine, as where objects lie does not. */
export function inputOf(input: ReplayInput, schedule: Schedule = { kind: 'recorded' }): object {
  return addonInput({ ...input, schedule, flow: undefined, spill: spillPlace() }, 1);
}

function wayOf({ placed: { address, layout, layouts, cold, threadStride }, loops }: PlacingWay): object {
  const types = [...new Set(layouts.map((one) => one.layout))];
  return {
    address,
    layout,
    cold,
    threadStride,
    types: types.map(typeColumns),
    layouts: layouts.map((one) => ({ ...one.bounds, type: types.indexOf(one.layout) })),
    tileOf: loops?.tileOf ?? new Int32Array(0),
    rows: Uint32Array.from(loops?.tiles ?? [], ({ rows }) => rows),
    columns: Uint32Array.from(loops?.tiles ?? [], ({ columns }) => columns),
  };
}

function typeColumns(type: TypeLayout): object {
  const { oldBytes, newBytes, coldBytes, pointerAt, isPerThread, at, until, parts } = type;
  const rows = [...parts].sort(([a], [b]) => a - b).flatMap(([begin, own]) => own.map((part) => ({ begin, ...part })));
  const column = (of: (row: Part & { begin: number }) => number): Uint32Array => Uint32Array.from(rows, of);
  return {
    oldBytes,
    newBytes,
    coldBytes,
    pointerAt,
    isPerThread: isPerThread ? 1 : 0,
    at,
    until,
    partBegin: column(({ begin }) => begin),
    partBytes: column(({ bytes }) => bytes),
    partAt: column((part) => part.at),
    partNewBytes: column((part) => part.newBytes),
  };
}
