// Stage: trace -> stream. The references of a run, by either engine: both give the same rows, if not in batches of the
// same size.

import type { ReplayInput } from '../contract/input.js';
import { loadAddon } from '../replay/native-engine.js';
import type { EngineName } from '../replay/replay.js';
import { ask, inputOf } from '../what-if/native-placing.js';
import { RAW_COLUMNS, type RawColumn, type ReferenceRows } from './reference-rows.js';
import { walkReferences } from './reference-walk.js';

export async function* readReferences(
  input: ReplayInput,
  columns: ReadonlySet<RawColumn>,
  engine: EngineName,
): AsyncGenerator<ReferenceRows> {
  if (engine === 'ts') return yield* walkReferences(input, columns);
  const asked = Object.fromEntries(RAW_COLUMNS.map((name) => [name, columns.has(name) ? 1 : 0]));
  const opened = loadAddon().openReferences(inputOf(input), asked);
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
