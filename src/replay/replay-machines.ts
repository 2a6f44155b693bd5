// Stage: trace -> replay. One trace on several machines: its static half is opened once, those that lay references out
// alike are replayed together, and each machine gets a result of its own, equal to that of a replay on it alone.

import type { ReplayInput } from '../contract/input.js';
import { locateWindow, type WindowRequest } from './locate-window.js';
import { layOutAlike } from '../contract/complete-machine.js';
import type { Machine, Schedule } from '../contract/machine.js';
import { replayInput, type OpenedTrace } from './open-trace.js';
import { replay, replayTogether, type EngineName, type ReplayOptions } from './replay.js';
import type { ReplayResult } from '../contract/result.js';
import { replaySideBySide } from './side-by-side.js';

/** More would hold the caches and objects of too many machines in memory at a time. */
export const MOST_TOGETHER = 8;

export interface MachinesOptions {
  readonly schedule: Schedule;
  /** undefined: all of the trace counts. */
  readonly window?: WindowRequest;
  readonly engine: EngineName;
  /** Threads to use at most over all machines, by default as many as there are processors; no result depends on it. */
  readonly workers?: number;
  /** [done, total] in references over all machines, as two float64. */
  readonly progress: SharedArrayBuffer;
}

/**
 * What `use` makes of each result, in order of the machines. Results are let go as soon as they are used: a sweep has
 * dozens.
 */
export async function replayMachines<Value>(
  trace: OpenedTrace,
  machines: readonly Machine[],
  options: MachinesOptions,
  use: (result: ReplayResult, index: number) => Value | Promise<Value>,
): Promise<Value[]> {
  const { schedule, window, engine, workers, progress } = options;
  const groups = groupMachines(machines);
  const values: Value[] = [];
  await replaySideBySide(
    groups.map(({ length }) => length),
    workers,
    progress,
    async ({ index, workers: own, onProgress }) => {
      const [first, ...others] = groups[index];
      const input = replayInput(trace, machines[first], schedule);
      const results = await replayPart(
        input,
        others.map((other) => machines[other]),
        window,
        { engine, workers: own, onProgress },
      );
      for (const [at, machine] of groups[index].entries()) values[machine] = await use(results[at], machine);
    },
  );
  return values;
}

/** Places in the list: groups in order of their first, each in order. */
export function groupMachines(machines: readonly Machine[]): number[][] {
  const groups: number[][] = [];
  machines.forEach((machine, index) => {
    const group = groups.find((of) => of.length < MOST_TOGETHER && layOutAlike(machines[of[0]], machine));
    if (group) group.push(index);
    else groups.push([index]);
  });
  return groups;
}

/** Replays of the part of it that counts. */
export async function replayPart(
  input: ReplayInput,
  otherMachines: readonly Machine[],
  window: WindowRequest | undefined,
  options: ReplayOptions,
): Promise<ReplayResult[]> {
  if (window === undefined) return replayTogether(input, otherMachines, options);
  return replayTogether(
    {
      ...input,
      window: await locateWindow(input, window, (first) => replay({ ...first, shardFiles: undefined }, options)),
    },
    otherMachines,
    options,
  );
}
