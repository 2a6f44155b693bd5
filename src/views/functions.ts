// Stage: profile -> views. Functions: the code profile, for contrast: what each function referenced, missed and cost,
// whatever the data was.

import type { Profile } from '../profile/profile.js';
import { rankSums, sortRanked, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify, type Classified } from './level-misses.js';
import { selectTallies } from './row-filter.js';
import { spellFunction } from './sites.js';
import type { View, ViewOptions } from './view.js';

export interface FunctionRow extends Classified {
  /** null: the debug information does not say. */
  readonly function: string | null;
  /** Of all its references, hits included; of them `missLatencyCycles` of the accesses that missed the L1. */
  readonly latencyCycles: number;
  /** Types that it referenced, and those of them that it missed the L1 on. */
  readonly types: number;
  readonly typesMissed: number;
}

export type Functions = View<FunctionRow>;

export function buildFunctions(profile: Profile, options: ViewOptions = {}): Functions {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const nameOf = (row: number): string | null =>
    isAsked(row) ? (spellFunction(profile, tallies.site[row]) ?? '') : null;
  const types = new Map<string, { all: Set<number>; missed: Set<number> }>();
  const missed = sumBy(tallies, (row) => (nameOf(row) === null ? null : `${tallies.type[row]} ${nameOf(row)}`));
  for (const [key, sums] of missed) {
    const blank = key.indexOf(' ');
    const [type, name] = [Number(key.slice(0, blank)), key.slice(blank + 1)];
    const own = types.get(name) ?? { all: new Set(), missed: new Set() };
    types.set(name, own);
    own.all.add(type);
    if (sums.misses('l1') > 0) own.missed.add(type);
  }
  const ranked = [...sumBy(tallies, nameOf)].map(([name, sums]) => ({
    rank: rankSums(sums, name),
    row: {
      function: name || null,
      ...classify(sums),
      latencyCycles: sums.get('latencyCycles'),
      types: types.get(name)?.all.size ?? 0,
      typesMissed: types.get(name)?.missed.size ?? 0,
    },
  }));
  return wrapRows(profile, 'functions', sortRanked(ranked, options.sort ?? 'misses'), { sort: options.sort });
}
