// Stage: trace -> blocks. How often each record of a trace was made, and which one came next in its function:
// docs/program-blocks.md, "How often". The native engine's engine/trace/record_executions.h has the same numbers.

import type { ReplayInput } from '../contract/input.js';
import { NO_INDEX } from '../base/ids.js';
import { stepsOf } from '../order/step-cursor.js';
import { addonInput, ask, loadAddon } from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
import { RecordFlag } from '../trace/layout.js';
import { PathTable } from '../trace/path-table.js';
import { TraceFile } from '../trace/trace-file.js';

/** Over all threads and the whole run. */
export interface RecordExecutions {
  /** By record of the catalog. */
  readonly made: Float64Array;
  /** From a record to those that the same call of their function made next, and how often. */
  readonly next: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

export async function countExecutions(input: ReplayInput, engine: EngineName): Promise<RecordExecutions> {
  if (engine === 'ts') return countHere(input);
  const asked = addonInput({ ...input, flow: undefined, sharedVariables: undefined, spill: spillPlace() }, 1);
  const { made, record, next, times } = (await ask(input, () => loadAddon().recordExecutions(asked))) as Columns;
  const pairs = new Pairs();
  for (const [row, from] of record.entries()) pairs.add(from, next[row], times[row]);
  return { made, next: pairs.next };
}

/** What the native engine answers. */
interface Columns {
  readonly made: Float64Array;
  readonly record: Uint32Array;
  readonly next: Uint32Array;
  readonly times: Float64Array;
}

class Pairs {
  readonly next = new Map<number, Map<number, number>>();

  add(from: number, to: number, times: number): void {
    const own = this.next.get(from) ?? new Map<number, number>();
    this.next.set(from, own);
    own.set(to, (own.get(to) ?? 0) + times);
  }
}

function countHere(input: ReplayInput): RecordExecutions {
  const { records } = input.catalog;
  const made = new Float64Array(records.count);
  const pairs = new Pairs();
  const file = TraceFile.open(input.path);
  try {
    const paths = new PathTable(input.catalog);
    for (const number of input.threads.keys()) {
      const steps = stepsOf(file, input, paths, number);
      const frames: { readonly function: number; last: number }[] = [];
      while (steps.next()) {
        if (!steps.step.isRecord) continue;
        const { record } = steps.step;
        const [of, flags] = [records.function[record], records.flags[record]];
        made[record]++;
        // Functions that an exception or a longjmp left.
        if ((flags & RecordFlag.entry) === 0) while (frames.length > 0 && frames.at(-1)!.function !== of) frames.pop();
        if ((flags & RecordFlag.entry) !== 0 || frames.length === 0) frames.push({ function: of, last: NO_INDEX });
        const frame = frames.at(-1)!;
        if (frame.last !== NO_INDEX) pairs.add(frame.last, record, 1);
        frame.last = record;
        if ((flags & RecordFlag.exit) !== 0) frames.pop();
      }
    }
    return { made, next: pairs.next };
  } finally {
    file.close();
  }
}
