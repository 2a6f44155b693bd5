// Stage: replay -> stream. The references of a replay, by either engine: both give the same rows, if not in batches of
// the same size.

import { availableParallelism } from 'node:os';
import type { ReplayInput } from '../contract/input.js';
import {
  addonInput,
  ask,
  askNow,
  loadAddon,
  type LivePlace,
  type LiveStop,
  type OpenedReferences,
} from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
import type { PackedColumn, PackedRows } from './packed-column.js';
import { RAW_COLUMNS, type RawColumn, type ReferenceRows } from './reference-rows.js';
import { walkReferences } from './reference-walk.js';

/** `workers`: threads of the native engine that are busy at a time, at most. */
export async function* readReferences(
  input: ReplayInput,
  columns: ReadonlySet<RawColumn>,
  engine: EngineName,
  workers?: number,
): AsyncGenerator<ReferenceRows> {
  if (engine === 'ts') return yield* walkReferences(input, columns);
  yield* eachOf(open(input, columns, workers), input);
}

/** Some rows, by column. */
export interface PackedBatch {
  readonly count: number;
  readonly columns: readonly PackedRows[];
}

export async function* readPacked(
  input: ReplayInput,
  columns: readonly PackedColumn[],
  engine: EngineName,
  workers?: number,
): AsyncGenerator<PackedBatch> {
  if (engine === 'ts') return yield* packedByUs(input, columns);
  const unpack = unpacking(columns);
  for await (const rows of eachOf(openPacked(input, columns, workers), input)) yield unpack(rows);
}

/** The same on the calling thread, which waits for rows: for a database that asks for them. */
export function* readPackedNow(
  input: ReplayInput,
  columns: readonly PackedColumn[],
  engine: EngineName,
): Generator<PackedBatch> {
  if (engine === 'ts') return yield* packedByUs(input, columns);
  const unpack = unpacking(columns);
  const opened = openPacked(input, columns);
  try {
    for (;;) {
      const rows = askNow(input, () => opened.nextNow()) as ReferenceRows | null;
      if (rows === null) return;
      yield unpack(rows);
    }
  } finally {
    opened.close();
  }
}

/**
 * The rows of a program that runs, as they come; returns why there are no more. Whoever wants what there is by now
 * pauses the trace.
 */
export async function* readPackedLive(
  input: ReplayInput,
  columns: readonly PackedColumn[],
  place: LivePlace,
  workers?: number,
): AsyncGenerator<PackedBatch, LiveStop> {
  const { whole, asked, packings } = askedOf(input, columns, workers);
  const opened = loadAddon().openReferences(whole, asked, packings, place);
  const unpack = unpacking(columns);
  for await (const rows of eachOf(opened, input)) yield unpack(rows);
  return opened.stop()!;
}

function* packedByUs(input: ReplayInput, columns: readonly PackedColumn[]): Generator<PackedBatch> {
  const needed = new Set(columns.map(({ column }) => column.needs));
  for (const rows of walkReferences(input, needed))
    yield { count: rows.count, columns: columns.map((column) => column.pack(rows)) };
}

function unpacking(columns: readonly PackedColumn[]): (rows: ReferenceRows) => PackedBatch {
  const byEngine = columns.filter(({ packing }) => packing !== null);
  return (rows) => ({
    count: rows.count,
    columns: columns.map((column) =>
      column.packing === null ? column.pack(rows) : column.packed(rows.packed![byEngine.indexOf(column)]),
    ),
  });
}

async function* eachOf(opened: OpenedReferences, input: ReplayInput): AsyncGenerator<ReferenceRows> {
  try {
    for (;;) {
      const rows = await ask(input, () => opened.next());
      if (rows === null) return;
      yield rows as ReferenceRows;
    }
  } finally {
    opened.close();
  }
}

function openPacked(input: ReplayInput, columns: readonly PackedColumn[], workers?: number): OpenedReferences {
  const { whole, asked, packings } = askedOf(input, columns, workers);
  return loadAddon().openReferences(whole, asked, packings);
}

/** The question to the native engine for the columns. */
export function askedOf(input: ReplayInput, columns: readonly PackedColumn[], workers?: number) {
  const others = columns.filter(({ packing }) => packing === null).map(({ column }) => column.needs);
  const packings = columns.flatMap(({ packing }) => packing ?? []);
  return { whole: wholeOf(input, workers), asked: namesOf(new Set(others)), packings };
}

function open(input: ReplayInput, columns: ReadonlySet<RawColumn>, workers?: number): OpenedReferences {
  return loadAddon().openReferences(wholeOf(input, workers), namesOf(columns), []);
}

function namesOf(columns: ReadonlySet<RawColumn>): object {
  return Object.fromEntries(RAW_COLUMNS.map((name) => [name, columns.has(name) ? 1 : 0]));
}

function wholeOf(input: ReplayInput, workers = availableParallelism()): object {
  return addonInput({ ...input, flow: undefined, sharedVariables: undefined, spill: spillPlace() }, workers);
}
