// Stage: replay -> stream. The references of a replay, by either engine: both give the same rows, if not in batches of
// the same size.

import { availableParallelism } from 'node:os';
import type { ReplayInput } from '../contract/input.js';
import { addonInput, loadAddon } from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
import { ask } from '../what-if/native-placing.js';
import { RAW_COLUMNS, type RawColumn, type ReferenceRows } from './reference-rows.js';
import { walkReferences } from './reference-walk.js';

/** `workers`: threads of the native engine that are busy at a time, at most. */
export async function* readReferences(
  input: ReplayInput,
  columns: ReadonlySet<RawColumn>,
  engine: EngineName,
  workers = availableParallelism(),
): AsyncGenerator<ReferenceRows> {
  if (engine === 'ts') return yield* walkReferences(input, columns);
  const asked = Object.fromEntries(RAW_COLUMNS.map((name) => [name, columns.has(name) ? 1 : 0]));
  const whole = addonInput({ ...input, flow: undefined, sharedVariables: undefined, spill: spillPlace() }, workers);
  const opened = loadAddon().openReferences(whole, asked);
  try {
    for (;;) {
      const rows = (await ask(input, () => opened.next())) as ReferenceRows | null;
      if (rows === null) return;
      yield rows;
    }
  } finally {
    opened.close();
  }
}
