// Stage: profile -> views. What a run would take on a processor that overlaps misses, in cycles: docs/advice.md, "Run
// time", has the rule and where it comes from.

import { LEVELS } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { sumBy } from './counter-sums.js';
import { framesOf } from './frames.js';
import { costOfLevels } from './level-cycles.js';

/** Instructions that a processor looks ahead while a miss is served: the reorder buffer of Zen 2 and Skylake. */
const WINDOW = 224;
/** Misses that it has under way at a time, at most: line fill buffers of Skylake. */
const MOST_AT_A_TIME = 10;

/** Without a miss: instructions at this many cycles each. */
export const DEFAULT_CPI = 0.3;

/** Misses that are under way together, where so many come in so many instructions and none waits for another. */
export function missesAtATime(misses: number, instructions: number): number {
  return Math.min(MOST_AT_A_TIME, 1 + (WINDOW * misses) / Math.max(1, instructions));
}

/**
 * Over threads together. `isHopped`: of type names: objects that are reached by pointers, so that a miss waits for the
 * one before.
 */
export function runCycles(profile: Profile, isHopped: (type: string) => boolean, cpi: number): number {
  const { tallies, sites, strings, totals, types } = profile;
  const frames = framesOf(profile);
  const functionOf = (row: number): number => sites.function[frames.charged(tallies.site[row])];
  const hopped = new Map<number, boolean>();
  const waits = (type: number): boolean => {
    const known = hopped.get(type) ?? isHopped(strings[types.name[type]]);
    hopped.set(type, known);
    return known;
  };
  const references = new Map<number, number>();
  for (const [name, own] of sumBy(tallies, functionOf)) references.set(name, own.references);
  let cycles = totals.instructions * cpi;
  for (const [key, own] of sumBy(tallies, (row) => functionOf(row) * 2 + Number(waits(tallies.type[row])))) {
    const { levelCycles } = costOfLevels((name) => own.get(name), profile.machine);
    const instructions =
      (totals.instructions * (references.get(Math.floor(key / 2)) ?? 0)) / Math.max(1, totals.references);
    for (const level of LEVELS) {
      const atATime = key % 2 === 1 ? 1 : missesAtATime(own.misses(level), instructions);
      cycles += levelCycles[level] / atATime;
    }
  }
  return cycles;
}
