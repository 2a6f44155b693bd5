// Stage: profile -> views. Whom the code profile charges with each tally, and what was inlined there.

import { formatCount } from '../base/format-number.js';
import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';
import { framesOf, spellFrame, type PathFrame } from './frames.js';
import type { InlinedFrame } from './miss-rows.js';
import { spellFunction, spellSite } from './sites.js';

const [LOADS, STORES] = ['l1.missLoads', 'l1.missStores'].map(counterIndex);

export class Charges {
  /** By row of the view, by the text of the chain. */
  readonly #inner = new Map<string, Map<string, { site: number; misses: number }>>();
  readonly #chains = new Map<number, readonly PathFrame[]>();

  constructor(private readonly profile: Profile) {}

  /** The site that is charged with the tally. */
  siteOf(row: number): number {
    return framesOf(this.profile).charged(this.profile.tallies.site[row]);
  }

  /** The tally counts for the view's row of this key, which is returned. */
  add(key: string, row: number): string {
    const { tallies } = this.profile;
    const site = tallies.site[row];
    if (this.siteOf(row) === site) return key;
    let own = this.#inner.get(key);
    if (own === undefined) this.#inner.set(key, (own = new Map()));
    const place = JSON.stringify(this.#chainOf(site));
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
        callPath: this.#chainOf(site),
      }));
  }

  /** What was inlined into one another there, from the access to the function that is charged. */
  #chainOf(site: number): readonly PathFrame[] {
    const known = this.#chains.get(site);
    if (known !== undefined) return known;
    const frames = framesOf(this.profile);
    const charged = frames.charged(site);
    let length = 1;
    for (let at = site; at !== charged; at = this.profile.sites.caller[at]) length++;
    const chain = frames.path(site).slice(0, length);
    this.#chains.set(site, chain);
    return chain;
  }
}

const MOST_CHAINS = 5;

/** The lines of code, with what was inlined into each below it where it was asked for. */
export function chainLines<Line>(
  lines: readonly Line[],
  isAsked: boolean,
  inlinedOf: (line: Line) => readonly ShownChain[],
): (Line | readonly string[])[] {
  if (!isAsked) return [...lines];
  return lines.flatMap((line) => {
    const chains = inlinedOf(line);
    const left = chains.length - MOST_CHAINS;
    return [
      line,
      ...chains
        .slice(0, MOST_CHAINS)
        .map(({ misses, callPath }) => [`    ${spellMisses(misses)} in ${callPath.map(spellFrame).join(' < ')}`]),
      ...(left > 0 ? [[`    … ${formatCount(left)} more`]] : []),
    ];
  });
}

interface ShownChain {
  /** Samples need not say any. */
  readonly misses: number | null;
  readonly callPath: readonly PathFrame[];
}

function spellMisses(misses: number | null): string {
  return misses === null ? 'misses' : `${formatCount(misses)} L1 ${misses === 1 ? 'miss' : 'misses'}`;
}
