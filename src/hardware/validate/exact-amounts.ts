// Stage: validation. A profile -> how much of a measure each type, field or function has: what samples are held
// against.

import { NO_INDEX } from '../../base/ids.js';
import { type CounterSums, sumBy } from '../../views/counter-sums.js';
import { spellFunction } from '../../views/sites.js';
import type { Profile } from '../../profile/profile.js';
import { LEVELS } from '../../contract/machine.js';
import { RULES, type TypingRule } from '../../contract/result.js';
import { UNION_LEAF } from '../../trace/leaf-table.js';
import type { Population } from './populations.js';

/** The kinds of names to compare by: a type, a type and one of its fields (after a blank line), or a function. */
export const COMPARED_BY = ['type', 'field', 'function'] as const;
export type ComparedBy = (typeof COMPARED_BY)[number];

/** Shares of what: references, L1 misses, cycles of latency. */
export const MEASURES = ['references', 'misses', 'cycles'] as const;
export type Measure = (typeof MEASURES)[number];

/**
 * References that samples may have the type of too, since it is an object's; others are only known from the access
 * itself.
 */
const OF_OBJECTS: ReadonlySet<TypingRule> = new Set([
  'object',
  'descriptor',
  'vote',
  'site',
  'behind',
  'beside',
  'pool',
]);

export const FIELD_BEHIND = '\n';

export interface ExactAmounts {
  readonly amounts: ReadonlyMap<string, number>;
  /** The amount of references that have no such name. */
  readonly unnamed: number;
}

export function exactAmounts(profile: Profile, by: ComparedBy, measure: Measure, of: Population): ExactAmounts {
  const sums = sumBy(profile.tallies, (row) => exactName(profile, row, by) ?? '');
  const amounts = new Map(
    [...sums]
      .map(([name, own]) => [name, amountOf(own, measure, of, profile)] as const)
      .filter(([, amount]) => amount > 0),
  );
  const unnamed = amounts.get('') ?? 0;
  amounts.delete('');
  return { amounts, unnamed };
}

/** null: it has none. */
function exactName(profile: Profile, row: number, by: ComparedBy): string | null {
  const { tallies, types, strings } = profile;
  if (by === 'function') return spellFunction(profile, tallies.site[row]);
  if (!OF_OBJECTS.has(RULES[tallies.rule[row]])) return null;
  const type = strings[types.name[tallies.type[row]]];
  return by === 'type' ? type : fieldName(type, tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]]);
}

export function fieldName(type: string, field: string | null): string {
  return field === null ? type : `${type}${FIELD_BEHIND}${field}`;
}

/**
 * Fields are leaves to debug information, unions are one thing to a trace: the longest part of the path that the trace
 * has of the type, else the path.
 */
export function tracedField(known: { has(name: string): boolean }, type: string, path: string | null): string | null {
  for (let end = path?.length ?? 0; end > 0; end = path!.lastIndexOf('.', end - 1))
    if (known.has(fieldName(type, path!.slice(0, end)))) return path!.slice(0, end);
  return known.has(fieldName(type, UNION_LEAF)) ? UNION_LEAF : path;
}

function amountOf(sums: CounterSums, measure: Measure, of: Population, { machine }: Profile): number {
  const pick = (loads: string, stores: string): number =>
    (of === 'stores' ? 0 : sums.get(loads)) + (of === 'loads' ? 0 : sums.get(stores));
  if (measure === 'references') return pick('loads', 'stores');
  if (measure === 'misses') return pick('l1.missLoads', 'l1.missStores');
  if (of === 'references') return sums.get('latencyCycles');
  // Cycles of loads alone are not counted: they follow from the levels that the loads missed.
  const steps = [...LEVELS.map((level) => machine[level].latencyCycles), machine.memoryLatencyCycles];
  return LEVELS.reduce(
    (cycles, level, index) =>
      cycles + pick(`${level}.missLoads`, `${level}.missStores`) * (steps[index + 1] - steps[index]),
    pick('loads', 'stores') * steps[0],
  );
}
