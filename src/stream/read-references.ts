// Stage: replay -> stream. The references of a replay, by either engine: both give the same rows, if not in batches of
// the same size.

import { availableParallelism } from 'node:os';
import type { ReplayInput } from '../contract/input.js';
import { addonInput, loadAddon, typedError, type OpenedReferences } from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
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
  const opened = open(input, columns, workers);
  try {
    for (;;) {
      const rows = await opened.next().catch((error: unknown) => refuse(error, input));
      if (rows === null) return;
      yield rows as ReferenceRows;
    }
  } finally {
    opened.close();
  }
}

/** The same on the calling thread, which waits for rows: for a database that asks for them. */
export function* readReferencesNow(
  input: ReplayInput,
  columns: ReadonlySet<RawColumn>,
  engine: EngineName,
  workers?: number,
): Generator<ReferenceRows> {
  if (engine === 'ts') return yield* walkReferences(input, columns);
  const opened = open(input, columns, workers);
  try {
    for (;;) {
      const rows = nextOf(opened, input);
      if (rows === null) return;
      yield rows;
    }
  } finally {
    opened.close();
  }
}

function nextOf(opened: OpenedReferences, input: ReplayInput): ReferenceRows | null {
  try {
    return opened.nextNow() as ReferenceRows | null;
  } catch (error) {
    return refuse(error, input);
  }
}

function open(input: ReplayInput, columns: ReadonlySet<RawColumn>, workers = availableParallelism()): OpenedReferences {
  const asked = Object.fromEntries(RAW_COLUMNS.map((name) => [name, columns.has(name) ? 1 : 0]));
  const whole = { ...input, flow: undefined, sharedVariables: undefined, spill: spillPlace() };
  return loadAddon().openReferences(addonInput(whole, workers), asked);
}

function refuse(error: unknown, { path, processes }: ReplayInput): never {
  throw typedError(error, processes === undefined ? `${path}: ` : '');
}
