// Stage: profile -> views. Sums of tally rows, and the shapes of JSON that several views read them in.

import { CLASSES, DPROF_RULES, type LevelName, LEVELS, type MissClass } from '../contract/machine.js';
import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile, TallyColumns } from '../profile/profile.js';

export class CounterSums {
  readonly #sums = new Float64Array(COUNTERS.length);

  add(tallies: TallyColumns, row: number): void {
    const at = row * COUNTERS.length;
    for (let counter = 0; counter < COUNTERS.length; counter++) this.#sums[counter] += tallies.counters[at + counter];
  }

  addSums(other: CounterSums): void {
    other.#sums.forEach((value, counter) => (this.#sums[counter] += value));
  }

  get(counter: string): number {
    return this.#sums[counterIndex(counter)];
  }

  get references(): number {
    return this.get('loads') + this.get('stores');
  }

  misses(level: LevelName): number {
    return this.get(`${level}.missLoads`) + this.get(`${level}.missStores`);
  }

  classes(level: LevelName): ClassCounts {
    return Object.fromEntries(CLASSES.map((name) => [name, this.get(`${level}.${name}`)])) as ClassCounts;
  }

  dprofRule(level: LevelName): Record<(typeof DPROF_RULES)[number], number> {
    return Object.fromEntries(DPROF_RULES.map((name) => [name, this.get(`${level}.dprof.${name}`)])) as Record<
      (typeof DPROF_RULES)[number],
      number
    >;
  }
}

export function perLevel<Value>(value: (level: LevelName) => Value): Record<LevelName, Value> {
  return Object.fromEntries(LEVELS.map((level) => [level, value(level)])) as Record<LevelName, Value>;
}

/** Sums by a key of the row, rows of key null left out; keys in order of first occurrence. */
export function sumBy<Key extends number | string>(
  tallies: TallyColumns,
  key: (row: number) => Key | null,
): Map<Key, CounterSums> {
  const sums = new Map<Key, CounterSums>();
  for (let row = 0; row < tallies.type.length; row++) {
    const at = key(row);
    if (at === null) continue;
    let sum = sums.get(at);
    if (sum === undefined) sums.set(at, (sum = new CounterSums()));
    sum.add(tallies, row);
  }
  return sums;
}

export function sumAll(tallies: TallyColumns): CounterSums {
  return sumBy(tallies, () => 0).get(0) ?? new CounterSums();
}

/** Rows sort by L1 misses, then by name, as the code units say, so that no locale changes an order. */
export function byMissesThenName(missesA: number, nameA: string, missesB: number, nameB: string): number {
  return missesB - missesA || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0);
}

export type Sort = 'misses' | 'cycles';

/** Rows stand by what they cost. Samples need not say any latency. */
export function usualSort({ sampled }: Pick<Profile, 'sampled'>): Sort {
  return sampled === undefined ? 'cycles' : 'misses';
}

/** The numbers that rows are ranked by; `cycles` are the estimated ones, missLatencyCycles. */
export interface Rank {
  readonly misses: number;
  readonly cycles: number;
  readonly name: string;
}

export function rankSums(sums: Pick<CounterSums, 'get' | 'misses'>, name: string): Rank {
  return { misses: sums.misses('l1'), cycles: sums.get('missLatencyCycles'), name };
}

export function compareRanks(sort: Sort): (a: Rank, b: Rank) => number {
  return (a, b) =>
    (sort === 'cycles' ? b.cycles - a.cycles : 0) || byMissesThenName(a.misses, a.name, b.misses, b.name);
}

/** Rows in the order of their ranks. */
export function sortRanked<Row>(ranked: readonly { readonly rank: Rank; readonly row: Row }[], sort: Sort): Row[] {
  const compare = compareRanks(sort);
  return [...ranked].sort((a, b) => compare(a.rank, b.rank)).map(({ row }) => row);
}

export type ClassCounts = Record<MissClass, number>;
