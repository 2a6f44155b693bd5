// Stage: profile -> views. What a type's objects amount to: how many live at once at most, how many bytes on average, and whether they
// are shared between cores.

import type { Profile } from '../profile/profile.js';

export interface TypeLives {
  /** Most objects of the type alive at one time; a stack variable counts from its first life to its last. */
  readonly peak: number;
  /** Time-weighted average of the bytes of live objects. */
  readonly averageBytes: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly frees: number;
  readonly freesOnOtherCore: number;
}

const BOUNCE = 1;
const WRITE_SHARED = 2;
const FREED = 8;
const FREED_ON_OTHER_CORE = 16;

/** By row type; of a merged profile the most objects at once are those of the run that had most. */
export function summariseLives(profile: Profile): TypeLives[] {
  const { types, totals, objects, runs = [{ objects: objects.type.length }] } = profile;
  let from = 0;
  const each = runs.map(({ objects: own }) => summariseRun(profile, from, (from += own)));
  return Array.from(types.name, (_, type) => {
    const lives = each.map((run) => run[type]);
    const sum = (get: (life: RunLives) => number): number => lives.reduce((total, life) => total + get(life), 0);
    const flags = lives.reduce((all, life) => all | life.flags, 0);
    return {
      peak: lives.reduce((most, { peak }) => Math.max(most, peak), 0),
      averageBytes: totals.instructions === 0 ? 0 : sum(({ byteTime }) => byteTime) / totals.instructions,
      bounce: (flags & BOUNCE) !== 0,
      writeShared: (flags & WRITE_SHARED) !== 0,
      frees: sum(({ frees }) => frees),
      freesOnOtherCore: sum(({ freesOnOtherCore }) => freesOnOtherCore),
    };
  });
}

interface RunLives {
  readonly peak: number;
  readonly byteTime: number;
  readonly flags: number;
  readonly frees: number;
  readonly freesOnOtherCore: number;
}

/** Of the objects from `from` to before `to`, which are one run's. */
function summariseRun({ objects, types }: Profile, from: number, to: number): RunLives[] {
  const count = types.name.length;
  const start = new Uint32Array(count + 1);
  for (let object = from; object < to; object++) start[objects.type[object] + 1]++;
  for (let type = 0; type < count; type++) start[type + 1] += start[type];

  const births = new Float64Array(to - from);
  const deaths = new Float64Array(to - from);
  const byteTime = new Float64Array(count);
  const flags = new Uint8Array(count);
  const frees = new Float64Array(count);
  const freesOnOtherCore = new Float64Array(count);
  /** Per type, when objects lived that were born and dead at the same instant. */
  const moments: number[][] = [];
  const filled = start.slice(0, count);
  for (let object = from; object < to; object++) {
    const type = objects.type[object];
    const at = filled[type]++;
    const [born, died] = [objects.bornAt[object], objects.diedAt[object]];
    const momentary = born === died;
    births[at] = momentary ? Infinity : born;
    deaths[at] = momentary || died === -1 ? Infinity : died;
    if (momentary) (moments[type] ??= []).push(born);
    byteTime[type] += objects.sizeBytes[object] * objects.lifetime[object];
    flags[type] |= objects.flags[object];
    if (objects.flags[object] & FREED) frees[type]++;
    if (objects.flags[object] & FREED_ON_OTHER_CORE) freesOnOtherCore[type]++;
  }
  return Array.from({ length: count }, (_, type) => ({
    peak: countPeak(births.subarray(start[type], start[type + 1]), deaths.subarray(start[type], start[type + 1]), moments[type] ?? []),
    byteTime: byteTime[type],
    flags: flags[type],
    frees: frees[type],
    freesOnOtherCore: freesOnOtherCore[type],
  }));
}

/**
 * An object that died at the instant another was born made room for it; one that lived for that instant only was there beside those that
 * outlived it. Births and deaths are sorted in place; Infinity stands for never.
 */
function countPeak(births: Float64Array, deaths: Float64Array, moments: readonly number[]): number {
  births.sort();
  deaths.sort();
  let peak = 0;
  let dead = 0;
  for (let born = 0; born < births.length && births[born] !== Infinity; born++) {
    while (deaths[dead] <= births[born]) dead++;
    peak = Math.max(peak, born + 1 - dead);
  }
  for (const moment of new Set(moments)) peak = Math.max(peak, 1 + countUpTo(births, moment) - countUpTo(deaths, moment));
  return peak;
}

/** Numbers of the sorted column that are at most `limit`. */
function countUpTo(column: Float64Array, limit: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
