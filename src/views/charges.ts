// Stage: profile -> views. Whom the code profile charges with each tally, and what was inlined there.

import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';
import { framesOf } from './frames.js';
import type { InlinedFrame } from './miss-rows.js';
import { spellFunction, spellSite } from './sites.js';

const [LOADS, STORES] = ['l1.missLoads', 'l1.missStores'].map(counterIndex);

export class Charges {
  /** By row of the view, by the text of the innermost frame. */
  readonly #inner = new Map<string, Map<string, { site: number; misses: number }>>();

  constructor(private readonly profile: Profile) {}

  /** The site that is charged with the tally. */
  siteOf(row: number): number {
    return framesOf(this.profile).charged(this.profile.tallies.site[row]);
  }

  /** The tally counts for the view's row of this key, which is returned. */
  add(key: string, row: number): string {
    const { tallies, sites } = this.profile;
    const site = tallies.site[row];
    if (this.siteOf(row) === site) return key;
    let own = this.#inner.get(key);
    if (own === undefined) this.#inner.set(key, (own = new Map()));
    const place = `${sites.function[site]} ${sites.file[site]} ${sites.line[site]}`;
    const at = row * COUNTERS.length;
    const misses = tallies.counters[at + LOADS] + tallies.counters[at + STORES];
    own.set(place, { site, misses: misses + (own.get(place)?.misses ?? 0) });
    return key;
  }

  inlined(key: string): InlinedFrame[] {
    return [...(this.#inner.get(key)?.values() ?? [])]
      .sort((a, b) => b.misses - a.misses || a.site - b.site)
      .map(({ site, misses }) => ({
        function: spellFunction(this.profile, site),
        site: spellSite(this.profile, site),
        misses,
      }));
  }
}
