// Stage: profile -> views. How a row's type got its name: by a declaration, by the accesses themselves, by a vote of
// accesses, or by an allocation site.

import { COUNTERS, RULES, type TypingRule } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';

export const NAMINGS = ['declared', 'access', 'vote', 'site', 'none'] as const;
export type Naming = (typeof NAMINGS)[number];

const NAMING_OF: Record<TypingRule, Naming> = {
  object: 'declared',
  variable: 'declared',
  behind: 'declared',
  descriptor: 'access',
  scalar: 'access',
  vote: 'vote',
  beside: 'vote',
  site: 'site',
  pool: 'site',
  untyped: 'none',
};

export interface NamedBy {
  /** What named most of its references; of equals, the first in the order of NAMINGS. null: it has no references. */
  readonly namedBy: Naming | null;
  /** References by what named them. */
  readonly namedByReferences: Readonly<Record<Naming, number>>;
}

/** By a key of the tallies' rows; null leaves the row out. */
export function namings<Key>({ tallies }: Profile, key: (row: number) => Key | null): Map<Key, NamedBy> {
  const [loads, stores] = ['loads', 'stores'].map(counterIndex);
  const sums = new Map<Key, Map<Naming, number>>();
  for (let row = 0; row < tallies.type.length; row++) {
    const at = key(row);
    const references =
      tallies.counters[row * COUNTERS.length + loads] + tallies.counters[row * COUNTERS.length + stores];
    if (at === null || references === 0) continue;
    const own = sums.get(at) ?? new Map<Naming, number>();
    const naming = NAMING_OF[RULES[tallies.rule[row]]];
    sums.set(at, own.set(naming, (own.get(naming) ?? 0) + references));
  }
  return new Map(Array.from(sums, ([at, own]) => [at, namedByOf(own)]));
}

export const NOT_NAMED: NamedBy = { namedBy: null, ...countsOf(new Map()) };

function namedByOf(references: ReadonlyMap<Naming, number>): NamedBy {
  const known = NAMINGS.filter((naming) => references.has(naming));
  const most = Math.max(...references.values());
  return {
    namedBy: known.find((naming) => references.get(naming) === most) ?? null,
    ...countsOf(references),
  };
}

function countsOf(references: ReadonlyMap<Naming, number>): Pick<NamedBy, 'namedByReferences'> {
  const counts = NAMINGS.map((naming) => [naming, references.get(naming) ?? 0]);
  return { namedByReferences: Object.fromEntries(counts) as Record<Naming, number> };
}

/** "~ struct MemPage": text marks what a vote named. */
export function markVote(type: string, { namedBy }: Partial<Pick<NamedBy, 'namedBy'>>): string {
  return namedBy === 'vote' ? `~ ${type}` : type;
}

const LETTERS: Readonly<Record<Naming, string>> = { declared: 'd', access: 'a', vote: 'v', site: 's', none: '-' };
export const NAMINGS_NOTE =
  'd: its declaration named the type, a: its accesses, v: a vote of them, s: its allocation site; of several the ' +
  'most first.';

/** "da": most references by declaration, at least a tenth by their own accesses. */
export function spellNamings(references: Readonly<Partial<Record<Naming, number | null>>>): string {
  const counts = NAMINGS.map((naming) => ({ naming, count: references[naming] ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return counts
    .filter(({ count }) => count > 0 && count * 10 >= all)
    .sort((a, b) => b.count - a.count)
    .map(({ naming }) => LETTERS[naming])
    .join('');
}
