// Stage: profile -> views. The line that most misses of a row are at: where a person looks first. From the tallies,
// which know the site of each access. docs/definitions.md, "Most at".

import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';
import { COUNTERS } from '../contract/result.js';
import { name, type Column, type ColumnWords } from './columns.js';
import { byMissesThenName } from './counter-sums.js';
import { framesOf, type PathFrame } from './frames.js';
import { spellFunction, spellSite } from './sites.js';

/** A line of the program's own code; `site` null: nothing missed, or no debug information says where. */
export interface MostMissesAt {
  readonly site: string | null;
  readonly function: string | null;
  /** Estimated cycles and L1 misses of the row at that line. */
  readonly cycles: number;
  readonly misses: number;
  /** Its part of the row's estimated cycles. */
  readonly share: number;
  /** Of the accesses there that cost most. */
  readonly callPath: readonly PathFrame[];
}

export interface WithMostMisses {
  readonly mostMissesAt: MostMissesAt;
}

interface Cost {
  cycles: number;
  misses: number;
}

export const NOWHERE: MostMissesAt = { site: null, function: null, cycles: 0, misses: 0, share: 0, callPath: [] };

const CYCLES = counterIndex('missLatencyCycles');
const [LOADS, STORES] = ['l1.missLoads', 'l1.missStores'].map(counterIndex);

/** By key of the tallies, those of null left out. Samples say no costs of single lines. */
export function mostMisses<Key>(profile: Profile, keyOf: (row: number) => Key | null): (key: Key) => MostMissesAt {
  const { tallies } = profile;
  return mostBy(profile, keyOf, (row) => {
    const at = row * COUNTERS.length;
    const misses = tallies.counters[at + LOADS] + tallies.counters[at + STORES];
    return { cycles: tallies.counters[at + CYCLES], misses };
  });
}

/** The same by another cost of the rows. */
export function mostBy<Key>(
  profile: Profile,
  keyOf: (row: number) => Key | null,
  costOf: (row: number) => { readonly cycles: number; readonly misses: number },
): (key: Key) => MostMissesAt {
  const { tallies, sampled } = profile;
  const costs = new Map<Key, Map<number, Cost>>();
  for (let row = 0; row < tallies.type.length && sampled === undefined; row++) {
    const key = keyOf(row);
    if (key === null) continue;
    const { cycles, misses } = costOf(row);
    if (misses === 0 && cycles === 0) continue; // of an access over two lines, one part may have waited for the other
    let ofSites = costs.get(key);
    if (ofSites === undefined) costs.set(key, (ofSites = new Map()));
    add(ofSites, tallies.site[row], { cycles, misses });
  }
  return (key) => mostOf(profile, costs.get(key) ?? new Map());
}

function add<Key>(to: Map<Key, Cost>, key: Key, { cycles, misses }: Cost): void {
  const known = to.get(key);
  if (known === undefined) to.set(key, { cycles, misses });
  else {
    known.cycles += cycles;
    known.misses += misses;
  }
}

function mostOf(profile: Profile, ofSites: ReadonlyMap<number, Cost>): MostMissesAt {
  const frames = framesOf(profile);
  const lines = new Map<string, Cost>();
  const sitesOf = new Map<string, Map<number, Cost>>();
  let all = 0;
  for (const [site, cost] of ofSites) {
    all += cost.cycles;
    const line = spellSite(profile, frames.own(site));
    if (line === null) continue;
    add(lines, line, cost);
    const own = sitesOf.get(line) ?? new Map<number, Cost>();
    sitesOf.set(line, own.set(site, cost));
  }
  const [most] = [...lines].sort(
    ([a, one], [b, other]) => other.cycles - one.cycles || byMissesThenName(one.misses, a, other.misses, b),
  );
  if (most === undefined) return NOWHERE;
  const [line, { cycles, misses }] = most;
  const [[site]] = [...sitesOf.get(line)!].sort(
    ([a, one], [b, other]) => other.cycles - one.cycles || other.misses - one.misses || a - b,
  );
  return {
    site: line,
    function: spellFunction(profile, frames.own(site)),
    cycles,
    misses,
    share: all === 0 ? 0 : cycles / all,
    callPath: frames.path(site),
  };
}

/** "adi.c:33". */
export function mostMissesColumn<Row>(words: ColumnWords = {}): Column<Row> {
  return name(
    'most at',
    'mostMissesAt.site',
    { meaning: 'the line with most of its cycles.', shortest: 9, width: 20, all: '', ...words },
    'site',
  );
}
