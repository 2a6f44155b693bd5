// Stage: trace -> blocks. How often each record of a trace was made, and which one came next in its function:
// docs/program-blocks.md, "How often". The native engine's engine/trace/record_executions.h has the same numbers.

import { NO_INDEX } from '../base/ids.js';
import type { RecordTable } from '../contract/catalog.js';
import type { ReplayInput } from '../contract/input.js';
import type { Border } from '../contract/window.js';
import { stepsOf } from '../order/step-cursor.js';
import { NEVER } from '../replay/locate-window.js';
import { addonInput, ask, loadAddon } from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
import { simulate } from '../sim/simulate.js';
import { RecordFlag } from '../trace/layout.js';
import { PathTable } from '../trace/path-table.js';
import { TraceFile } from '../trace/trace-file.js';

/** Over all threads. */
export interface RecordExecutions {
  /** By record of the catalog. */
  readonly made: Float64Array;
  /** From a record to those that the same call of their function made next, and how often. */
  readonly next: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

/** Of the catalog's records. */
export type RecordFacts = Pick<RecordTable, 'function' | 'flags'>;

/** From the trace's beginning to the place behind its end, or to this border: docs/replay/windows.md. */
export async function countExecutions(whole: ReplayInput, engine: EngineName, to?: Border): Promise<RecordExecutions> {
  const input: ReplayInput = to === undefined ? whole : { ...whole, window: { warmUp: NEVER, to } };
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

class Executions implements RecordExecutions {
  readonly made: Float64Array;
  readonly pairs = new Pairs();
  private readonly frames = new Map<number, { readonly function: number; last: number }[]>(); // by thread

  constructor(private readonly records: RecordTable) {
    this.made = new Float64Array(records.count);
  }

  get next(): RecordExecutions['next'] {
    return this.pairs.next;
  }

  pass(thread: number, record: number): void {
    const [of, flags] = [this.records.function[record], this.records.flags[record]];
    const frames = this.frames.get(thread) ?? [];
    this.frames.set(thread, frames);
    this.made[record]++;
    // Functions that an exception or a longjmp left.
    if ((flags & RecordFlag.entry) === 0) while (frames.length > 0 && frames.at(-1)!.function !== of) frames.pop();
    if ((flags & RecordFlag.entry) !== 0 || frames.length === 0) frames.push({ function: of, last: NO_INDEX });
    const frame = frames.at(-1)!;
    if (frame.last !== NO_INDEX) this.pairs.add(frame.last, record, 1);
    frame.last = record;
    if ((flags & RecordFlag.exit) !== 0) frames.pop();
  }
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
  const executions = new Executions(input.catalog.records);
  // Which steps come before a border, only a replay says.
  if (input.window !== undefined) {
    const observer = { record: (thread: number, record: number) => executions.pass(thread, record) };
    simulate({ ...input, flow: undefined, sharedVariables: undefined }, observer);
    return executions;
  }
  const paths = new PathTable(input.catalog);
  const file = TraceFile.open(input.path);
  try {
    for (const number of input.threads.keys()) {
      const steps = stepsOf(file, input, paths, number);
      while (steps.next()) if (steps.step.isRecord) executions.pass(number, steps.step.record);
    }
    return executions;
  } finally {
    file.close();
  }
}
