// Stage: profile -> views. The typing ledger: how many references and L1 misses got their type by which rule, and what
// that amounts to.

import { NO_INDEX } from '../base/ids.js';
import { COUNTERS, RULES, type TypingRule } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import { FAMILIES, type Profile } from '../profile/profile.js';
import { SAMPLED_COUNTERS } from '../profile/sampled.js';

/**
 * named: a struct, union or class, or a named global, thread-local or stack variable. heapBySite: an untyped heap
 * object or pool, by its allocation site, and bytes of one outside its struct. scalar: only int, char[] and the like,
 * heap arrays of them included. untyped: nothing is known.
 */
export const TYPING_GROUPS = ['named', 'heapBySite', 'scalar', 'untyped'] as const;
export type TypingGroup = (typeof TYPING_GROUPS)[number];

export interface TypingCounts {
  /** The denominator: all references, or all L1 misses. */
  readonly of: number;
  readonly rules: Record<TypingRule, number>;
  readonly groups: Record<TypingGroup, number>;
}

export interface TypingLedger {
  readonly references: TypingCounts;
  readonly l1Misses: TypingCounts;
}

const kindUnknown = SAMPLED_COUNTERS.indexOf('kindUnknown');
const aggregate = FAMILIES.indexOf('aggregate');
const groupOfRule: Record<TypingRule, TypingGroup> = {
  object: 'named',
  descriptor: 'named',
  vote: 'named',
  site: 'heapBySite',
  variable: 'named',
  scalar: 'scalar',
  untyped: 'untyped',
  behind: 'heapBySite',
  beside: 'heapBySite',
  pool: 'heapBySite',
};

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

export function buildTypingLedger({ totals, tallies, types, sampled }: Profile): TypingLedger {
  const references = { of: totals.references, rules: zeros(RULES), groups: zeros(TYPING_GROUPS) };
  const l1Misses = { of: totals.misses[0], rules: zeros(RULES), groups: zeros(TYPING_GROUPS) };
  const [loads, stores, missLoads, missStores] = ['loads', 'stores', 'l1.missLoads', 'l1.missStores'].map(counterIndex);
  for (let row = 0; row < tallies.type.length; row++) {
    const rule = RULES[tallies.rule[row]];
    const heapScalar =
      rule === 'object' && tallies.field[row] === NO_INDEX && types.family[tallies.type[row]] !== aggregate;
    const group = heapScalar ? 'scalar' : groupOfRule[rule];
    const at = row * COUNTERS.length;
    const ofNoKind = sampled === undefined ? 0 : sampled.tallies.extra[row * SAMPLED_COUNTERS.length + kindUnknown];
    const referenced = tallies.counters[at + loads] + tallies.counters[at + stores] + ofNoKind;
    const missed = tallies.counters[at + missLoads] + tallies.counters[at + missStores];
    references.rules[rule] += referenced;
    references.groups[group] += referenced;
    l1Misses.rules[rule] += missed;
    l1Misses.groups[group] += missed;
  }
  return { references, l1Misses };
}
