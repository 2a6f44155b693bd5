// Stage: command line. `--schedules N`: one trace replayed under several schedules, and what their sharing numbers amount to.

import { availableParallelism } from 'node:os';
import type { Profile } from '../profile/profile.js';
import { countSchedule, joinSchedules, type ScheduleCounts } from '../profile/schedule-table.js';
import type { Schedule } from '../replay/machine.js';

export const MOST_SCHEDULES = 1000;

/** The one that was asked for, then the random ones of seeds 1, 2, ... */
export function listSchedules(first: Schedule, count: number): Schedule[] {
  const seeds = Array.from({ length: count }, (_, index) => index + 1).filter((seed) => first.kind !== 'random' || seed !== first.seed);
  return [first, ...seeds.slice(0, count - 1).map((seed): Schedule => ({ kind: 'random', seed }))];
}

/** Replays one of the schedules: `onProgress` gets references done and an estimate of all. */
export type ReplayUnder = (schedule: Schedule, workers: number, onProgress: (done: number, total: number) => void) => Promise<Profile>;

/**
 * The profile of the first schedule, with the table of all. As many replays run at a time as there are workers: each keeps one busy. What each of
 * them counts, and the order of the table, do not depend on which ends first.
 */
export async function replaySchedules(schedules: readonly Schedule[], workers = availableParallelism(), progress: SharedArrayBuffer, replayUnder: ReplayUnder): Promise<Profile> {
  const atOnce = Math.min(workers, schedules.length);
  const shown = new Float64Array(progress);
  const done = schedules.map(() => 0);
  const counts: ScheduleCounts[] = [];
  let first: Profile | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < schedules.length) {
      const index = next++;
      const profile = await replayUnder(schedules[index], Math.max(1, Math.floor(workers / atOnce)), (references, total) => {
        done[index] = references;
        shown[0] = done.reduce((sum, one) => sum + one, 0);
        shown[1] = total * schedules.length;
      });
      done[index] = profile.totals.references;
      if (index === 0) first = profile;
      counts[index] = countSchedule(profile);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { ...(first as Profile), schedules: joinSchedules(counts) };
}
