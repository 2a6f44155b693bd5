// Stage: command line. `--schedules N`: one trace replayed under several schedules, and what their sharing numbers
// amount to.

import { closeObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { joinSchedules, type ScheduleCounts } from '../profile/schedule-table.js';
import type { Schedule } from '../contract/machine.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { replaySideBySide } from '../replay/side-by-side.js';
import { countSchedule } from '../profile/schedule-counts.js';

export const MOST_SCHEDULES = 1000;

/** The one that was asked for, then the random ones of seeds 1, 2, ... */
export function listSchedules(first: Schedule, count: number): Schedule[] {
  const seeds = Array.from({ length: count }, (_, index) => index + 1).filter(
    (seed) => first.kind !== 'random' || seed !== first.seed,
  );
  return [first, ...seeds.slice(0, count - 1).map((seed): Schedule => ({ kind: 'random', seed }))];
}

/** The same of a trace: one thread has one order. */
export function ordersOf({ threads }: Pick<OpenedTrace, 'threads'>, first: Schedule, count: number): Schedule[] {
  return threads.length > 1 ? listSchedules(first, count) : [first];
}

/** Replays one of the schedules: `onProgress` gets references done and an estimate of all. */
export type ReplayUnder = (
  schedule: Schedule,
  workers: number,
  onProgress: (done: number, total: number) => void,
) => Promise<Profile>;

/**
 * The profile of the first schedule, with the table of all schedules. The counts and the order of the table do not
 * depend on which schedule ends first.
 */
export async function replaySchedules(
  schedules: readonly Schedule[],
  workers: number | undefined,
  progress: SharedArrayBuffer,
  replayUnder: ReplayUnder,
): Promise<Profile> {
  const counts: ScheduleCounts[] = [];
  let first: Profile | undefined;
  await replaySideBySide(
    schedules.map(() => 1),
    workers,
    progress,
    async ({ index, workers: own, onProgress }) => {
      const profile = await replayUnder(schedules[index], own, onProgress);
      onProgress(profile.totals.references, profile.totals.references);
      counts[index] = countSchedule(profile);
      if (index === 0) first = profile;
      else closeObjects(profile);
    },
  );
  return { ...(first as Profile), schedules: joinSchedules(counts) };
}
