// Stage: replay. The TLB of one L1 unit: one or two levels of pages, true LRU.

import { DprofError } from '../base/dprof-error.js';
import type { Tlb, TlbLevel } from '../contract/machine.js';

export class TlbUnit {
  private readonly l1: PageSets;
  private readonly l2: PageSets | null;

  constructor({ l1, l2 }: Tlb) {
    this.l1 = new PageSets(l1);
    this.l2 = l2 === undefined ? null : new PageSets(l2);
  }

  /** 0: a hit, 1: a miss of the first level only, 2: a walk. */
  reference(page: number): 0 | 1 | 2 {
    if (this.l1.reference(page)) return 0;
    return this.l2?.reference(page) ? 1 : 2;
  }
}

class PageSets {
  private readonly sets: number;
  private readonly ways: number;
  /** By set: its pages, the oldest first. */
  private readonly pages = new Map<number, number[]>();

  constructor({ entries, ways }: TlbLevel) {
    this.ways = ways;
    this.sets = entries / ways;
    if (!Number.isInteger(this.sets) || this.sets < 1)
      throw new DprofError(
        `a TLB of ${entries} entries and ${ways} ways has ${this.sets} sets`,
        'choose entries that are a multiple of the ways',
        2,
      );
  }

  /** Whether it held the page; it does now, as its set's newest. The set is the page number modulo the sets. */
  reference(page: number): boolean {
    const set = page % this.sets;
    const pages = this.pages.get(set) ?? [];
    const at = pages.indexOf(page);
    if (at >= 0) pages.splice(at, 1);
    else if (pages.length === this.ways) pages.shift();
    pages.push(page);
    this.pages.set(set, pages);
    return at >= 0;
  }
}
