// A made-up run as data: a program, and what its threads do in the order in which they did it. To a trace file; and to
// the same run in steps of one access each, which say on their own what they do.

import { RecordTag, SlotKind } from '../../src/trace/layout.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import type { Mapping } from '../../src/trace/mapping-chunk.js';
import type { ModuleGlobal } from '../../src/trace/module-chunk.js';
import { TraceWriter } from '../trace/trace-writer.js';
import type { Unit, UnitSlot } from '../../src/trace/unit.js';
import { slotWords } from '../../src/trace/unit-rules.js';
import { writeUnit } from '../trace/unit-writer.js';
import { addRegion } from '../drawn/region-builder.js';
import type { FilledRecord } from './random-paths.js';

export interface MadeUpStep {
  readonly thread: number;
  /** Null: the thread's chunk ends here. */
  readonly step: EncodedStep | null;
  /** The records that a path passes. */
  readonly records?: readonly FilledRecord[];
}

export interface MadeUpRun {
  readonly unit: Unit;
  readonly globals: readonly ModuleGlobal[];
  readonly steps: readonly MadeUpStep[];
}

/** Many runs are of one program. */
const unitBytes = new WeakMap<Unit, Uint8Array>();

/** Facts of a process that is one of several. */
export interface WrittenProcess {
  readonly pid?: number;
  readonly mappings?: readonly Mapping[];
}

export function writeRun({ unit, globals, steps }: MadeUpRun, { pid, mappings = [] }: WrittenProcess = {}): Uint8Array {
  const writer = new TraceWriter({ pid });
  const bytes = unitBytes.get(unit) ?? writeUnit(unit);
  unitBytes.set(unit, bytes);
  writer.module('drawn', [bytes], globals);
  if (mappings.length > 0) writer.mappings(mappings);
  const held: EncodedStep[][] = [];
  const flush = (thread: number): void => {
    if (held[thread].length > 0) writer.events(thread, held[thread]);
    held[thread] = [];
  };
  for (const { thread, step } of steps) {
    const own = (held[thread] ??= []);
    if (step !== null) own.push(step);
    else flush(thread);
  }
  held.forEach((_, thread) => flush(thread));
  return writer.finish();
}

/**
 * The same run, each segment's accesses in segments of their own where no stamp binds them; addresses are all logged,
 * loops and branches gone.
 */
export function lowerRun({ unit, globals, steps }: MadeUpRun): MadeUpRun {
  const lowered: Unit = { ...unit, slots: [], records: [], regions: [], nodes: [], edges: [] };
  const paths = new Map<string, number>();
  const alone = (record: number, from: number, to: number, isLast: boolean): number => {
    const key = `${record} ${from} ${to}`;
    const known = paths.get(key);
    if (known !== undefined) return known;
    const { tag, instructions, flags, function: functionId, ...rest } = unit.records[record];
    const slots = unit.slots.slice(from, to).map((slot) => ({ ...slot, base: 0, delta: 0 }));
    const firstSlot = lowered.slots.push(...slots) - slots.length;
    const siteWords = tag === RecordTag.allocation ? 2 : tag === RecordTag.free ? 1 : 0;
    const words = siteWords + slots.reduce((sum, slot) => sum + slotWords(slot), 0);
    lowered.records.push({
      ...rest,
      tag,
      flags: isLast ? flags : 0,
      function: functionId,
      instructions: isLast ? instructions : 0,
      firstSlot,
      slotCount: slots.length,
      words,
    });
    const path = addRegion(lowered, [{ records: [lowered.records.length - 1] }]);
    paths.set(key, path);
    return path;
  };
  const result = steps.flatMap(({ thread, step, records }): MadeUpStep[] => {
    if (step === null) return [];
    if (!('path' in step) || records === undefined) return [{ thread, step }];
    return records.flatMap(({ record, words }, index) => {
      const { firstSlot, slotCount, tag } = unit.records[record];
      const end = firstSlot + slotCount;
      const isLastRecord = index === records.length - 1;
      const made = (from: number, to: number, own: readonly bigint[]): MadeUpStep => ({
        thread,
        step: {
          path: alone(record, from, to, to === end),
          words: own,
          ...(isLastRecord && to === end && step.stamped ? { stamped: step.stamped } : {}),
        },
      });
      if (tag !== RecordTag.segment) return [made(firstSlot, end, words)];
      let word = 0;
      return groups(unit.slots, firstSlot, end).map(([from, to]) => {
        const count = unit.slots.slice(from, to).reduce((sum, slot) => sum + wordsOf(slot), 0);
        return made(from, to, words.slice(word, (word += count)));
      });
    });
  });
  return { unit: lowered, globals, steps: result };
}

/** A word of an atomic is its stamp, which is not among those of the step. */
function wordsOf(slot: UnitSlot): number {
  return slotWords(slot) - (slot.kind >= SlotKind.atomicLoad && slot.kind <= SlotKind.atomicResult ? 1 : 0);
}

/** Slots that stay together: both halves of a copy, an access and its value. Without slots: one, empty. */
function groups(slots: readonly UnitSlot[], begin: number, end: number): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let from = begin; from < end; ) {
    let to = from + (slots[from].kind === SlotKind.copyLoad ? 2 : 1);
    while (to < end && (slots[to].kind === SlotKind.value || slots[to - 1].kind === SlotKind.value)) to++;
    found.push([from, to]);
    from = to;
  }
  return found.length === 0 ? [[begin, end]] : found;
}
