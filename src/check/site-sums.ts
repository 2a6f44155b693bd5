// Stage: check. What the objects of an allocation site amount to: tallies do not say where their objects come from.

import { CLASSES, type LevelName } from '../contract/machine.js';
import { OBJECT_COUNTERS } from '../contract/result.js';
import type { Profile } from '../profile/profile.js';
import type { CounterSums } from '../views/counter-sums.js';
import { framesOf } from '../views/frames.js';
import { sumSites } from '../views/site-misses.js';
import { spellSite } from '../views/sites.js';

/** What measures read. */
export type Sums = Pick<CounterSums, 'references' | 'misses' | 'get'>;

class ObjectSums implements Sums {
  references = 0;
  readonly #counters = new Float64Array(OBJECT_COUNTERS.length);

  add({ references, counters }: ReturnType<typeof sumSites>[number]): void {
    this.references += references;
    counters.forEach((value, counter) => (this.#counters[counter] += value));
  }

  get(counter: string): number {
    return this.#counters[OBJECT_COUNTERS.indexOf(counter)];
  }

  misses(level: LevelName): number {
    return CLASSES.reduce((sum, name) => sum + this.get(`${level}.${name}`), 0);
  }
}

export interface SiteSums {
  /** The first that is asked for, as views spell it; undefined: none is. */
  readonly site?: string;
  /** Of all of them. */
  readonly sums: Sums;
  /** Every site that objects come from. */
  readonly known: readonly string[];
}

export function sumSitesOf(profile: Profile, isAsked: (site: string) => boolean): SiteSums {
  const frames = framesOf(profile);
  const sums = new ObjectSums();
  const [known, asked] = [new Set<string>(), new Set<string>()];
  for (const one of sumSites(profile)) {
    const site = spellSite(profile, frames.allocation(one.site));
    if (site === null) continue;
    known.add(site);
    if (!isAsked(site)) continue;
    asked.add(site);
    sums.add(one);
  }
  const [site] = asked;
  return { site, sums, known: [...known] };
}
