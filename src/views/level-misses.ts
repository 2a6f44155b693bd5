// Stage: profile -> views. Misses by level and class, with DProf's own classes beside them: what every row of the miss
// classification has.

import { CLASSES, DPROF_RULES, type LevelName, type Machine } from '../contract/machine.js';
import { type ClassCounts, type CounterSums, perLevel } from './counter-sums.js';
import type { LoadsAndStores } from './data-profile-rows.js';
import { costOfLevels, type LevelCycles } from './level-cycles.js';

export interface LevelMisses {
  readonly misses: number;
  readonly classes: ClassCounts;
  /** The compulsory misses on lines that another core had stored to. */
  readonly compulsoryShared: number;
  readonly dprofRule: Record<(typeof DPROF_RULES)[number], number>;
}

export interface Classified extends LevelCycles {
  readonly references: LoadsAndStores;
  /** Estimated cycles: the latency of accesses that missed the L1. */
  readonly missLatencyCycles: number;
  readonly levels: Record<LevelName, LevelMisses>;
}

/** The classes of misses, from counters by name. */
export function levelMisses(get: (counter: string) => number): Record<LevelName, LevelMisses> {
  return perLevel((level) => {
    const classes = Object.fromEntries(CLASSES.map((name) => [name, get(`${level}.${name}`)])) as ClassCounts;
    return {
      misses: CLASSES.reduce((sum, name) => sum + classes[name], 0),
      classes,
      compulsoryShared: get(`${level}.compulsoryShared`),
      dprofRule: Object.fromEntries(
        DPROF_RULES.map((name) => [name, get(`${level}.dprof.${name}`)]),
      ) as LevelMisses['dprofRule'],
    };
  });
}

/** `level`: the only one that the costliest class is looked for in. */
export function classify(sums: CounterSums, machine: Machine, level?: LevelName): Classified {
  return {
    references: { loads: sums.get('loads'), stores: sums.get('stores') },
    missLatencyCycles: sums.get('missLatencyCycles'),
    levels: levelMisses((counter) => sums.get(counter)),
    ...costOfLevels((counter) => sums.get(counter), machine, level),
  };
}
