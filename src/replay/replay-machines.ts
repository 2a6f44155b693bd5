// Stage: trace -> replay. One trace on several machines: its static half is opened once, and each machine gets a result of its own, equal to that
// of a replay on it alone.

import type { Machine, Schedule } from './machine.js';
import { replayInput, type OpenedTrace } from './open-trace.js';
import { replay, type EngineName } from './replay.js';
import type { ReplayResult } from './result.js';
import { replaySideBySide } from './side-by-side.js';

export interface MachinesOptions {
  readonly schedule: Schedule;
  readonly engine: EngineName;
  /** Threads to use at most over all machines, by default as many as there are processors; no result depends on it. */
  readonly workers?: number;
  /** [done, total] in references over all machines, as two float64. */
  readonly progress: SharedArrayBuffer;
}

/** What `use` makes of each result, in order of the machines. Results are let go as soon as they are used: a sweep has dozens. */
export async function replayMachines<Value>(
  trace: OpenedTrace,
  machines: readonly Machine[],
  options: MachinesOptions,
  use: (result: ReplayResult, index: number) => Value | Promise<Value>,
): Promise<Value[]> {
  const { schedule, engine, workers, progress } = options;
  return replaySideBySide(machines.length, workers, progress, async ({ index, workers: own, onProgress }) => {
    const result = await replay(replayInput(trace, machines[index], schedule), { engine, workers: own, onProgress });
    onProgress(result.totals.references, result.totals.references);
    return use(result, index);
  });
}
