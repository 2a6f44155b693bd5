// Stage: profile -> advice. What the misses of each class cost at each level, for what a person could change: a struct
// or class with its fields, an array by the place that allocates it, a variable.

import { NO_INDEX } from '../base/ids.js';
import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';
import { sumBy, type ClassCounts, type CounterSums } from './counter-sums.js';
import { cyclesByClass } from './level-cycles.js';
import { levelMisses, type LevelMisses } from './level-misses.js';
import { mostBy, type MostMissesAt } from './most-misses.js';
import { splitRows } from './split-rows.js';

export interface CostRow {
  readonly type: string;
  /** The variable or field that receives the array; null: a struct, or unknown. */
  readonly name: string | null;
  /** The place that allocates the array: "adi.c:12". */
  readonly site: string | null;
  readonly references: number;
  /** Estimated cycles: the latency of accesses that missed the L1. */
  readonly missLatencyCycles: number;
  readonly levels: Record<LevelName, LevelMisses>;
  readonly cycles: Record<LevelName, ClassCounts>;
  readonly fields: readonly FieldCost[];
  /** The line with most cycles of the class, and misses of it at all levels. */
  readonly mostAt: Readonly<Record<MissClass, MostMissesAt>>;
}

export interface FieldCost {
  readonly field: string;
  readonly loads: number;
  readonly stores: number;
  readonly references: number;
  readonly missLatencyCycles: number;
}

/** `isRecord`: of type names: structs, unions and classes. Others are told apart by variable. */
export function classCosts(whole: Profile, isRecord: (type: string) => boolean): CostRow[] {
  const { profile, keys } = splitRows(whole);
  const { tallies, strings, machine } = profile;
  const fieldAt = (row: number): string | null =>
    tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]];
  const isOne = new Map<number, boolean>();
  const isWhole = (type: number): boolean => {
    let known = isOne.get(type);
    if (known === undefined) {
      const { type: name, site = null } = keys(type);
      isOne.set(type, (known = site !== null || isRecord(name)));
    }
    return known;
  };
  const numbers = new Map<string, number>();
  const keyOf = (row: number): number => {
    const type = tallies.type[row];
    const text = isWhole(type) ? `${type}` : `${type} ${fieldAt(row) ?? ''}`;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const sample = new Map<number, number>();
  const fields = new Map<number, Map<string, Omit<FieldCost, 'field'>>>();
  for (let row = 0; row < tallies.type.length; row++) {
    const key = keyOf(row);
    if (!sample.has(key)) sample.set(key, row);
  }
  const sums = sumBy(tallies, keyOf);
  const byField = sumBy(tallies, (row) => {
    const field = fieldAt(row);
    return field === null ? null : keyOf(row) * (strings.length + 1) + tallies.field[row];
  });
  for (const [key, own] of byField) {
    const [whole, field] = [Math.floor(key / (strings.length + 1)), strings[key % (strings.length + 1)]];
    const list = fields.get(whole) ?? new Map();
    list.set(field, {
      loads: own.get('loads'),
      stores: own.get('stores'),
      references: referencesOf(own),
      missLatencyCycles: own.get('missLatencyCycles'),
    });
    fields.set(whole, list);
  }
  const mostAt = mostByClass(profile, keyOf);
  return [...sums].map(([key, own]): CostRow => {
    const row = sample.get(key)!;
    const type = tallies.type[row];
    const { type: name, site = null, receiver = null } = keys(type);
    const get = (counter: string): number => own.get(counter);
    return {
      type: name,
      name: isWhole(type) ? receiver : fieldAt(row),
      site,
      references: referencesOf(own),
      missLatencyCycles: get('missLatencyCycles'),
      levels: levelMisses(get),
      cycles: cyclesByClass(get, machine),
      fields: isRecord(name) ? [...(fields.get(key) ?? [])].map(([field, counts]) => ({ field, ...counts })) : [],
      mostAt: Object.fromEntries(CLASSES.map((one) => [one, mostAt[one](key)])) as CostRow['mostAt'],
    };
  });
}

/** By class: what has most of its cycles. */
function mostByClass(
  profile: Profile,
  keyOf: (row: number) => number,
): Record<MissClass, (key: number) => MostMissesAt> {
  const { tallies, machine } = profile;
  const costs = Array.from({ length: tallies.type.length }, (_, row) => {
    const at = row * COUNTERS.length;
    if (L1_MISSES.every((counter) => tallies.counters[at + counter] === 0)) return null;
    return cyclesByClass((counter) => tallies.counters[at + counterIndex(counter)], machine);
  });
  const most = CLASSES.map((name) => {
    const counters = LEVELS.map((level) => counterIndex(`${level}.${name}`));
    return [
      name,
      mostBy(profile, keyOf, (row) => {
        const own = costs[row];
        const misses = counters.reduce((sum, at) => sum + tallies.counters[row * COUNTERS.length + at], 0);
        return { cycles: own === null ? 0 : LEVELS.reduce((sum, level) => sum + own[level][name], 0), misses };
      }),
    ];
  });
  return Object.fromEntries(most);
}

const L1_MISSES = ['l1.missLoads', 'l1.missStores'].map(counterIndex);

function referencesOf(sums: CounterSums): number {
  return sums.get('loads') + sums.get('stores');
}
