// Stage: trace -> replay. Releases of address ranges (frees, thread stacks): which of them an allocation must follow. Old ones, that every later
// acquire is behind, are folded into one clock per byte; the rest are found by page.

import { RangeMap } from '../base/range-map.js';
import { NOT_ISSUED, type Release } from './release-lane.js';

export interface RangeRelease extends Release {
  /** Until it is issued, a free that does not know its size stands for its first byte. */
  begin: number;
  end: number;
}

const PAGE_BYTES = 4096;
const MAX_PAGES = 16;
const FOLD_AT = 1024;

export class ReleaseRanges {
  private readonly pages = new Map<number, Set<RangeRelease>>();
  /** Of more than MAX_PAGES pages. */
  private readonly wide = new Set<RangeRelease>();
  private readonly issued = new Set<RangeRelease>();
  private readonly folded = new RangeMap();
  private foldAt = FOLD_AT;

  add(release: RangeRelease): void {
    if (release.begin >= release.end) return;
    const first = Math.floor(release.begin / PAGE_BYTES);
    const last = Math.floor((release.end - 1) / PAGE_BYTES);
    if (last - first >= MAX_PAGES) {
      this.wide.add(release);
      return;
    }
    for (let page = first; page <= last; page++) {
      const set = this.pages.get(page);
      if (set) set.add(release);
      else this.pages.set(page, new Set([release]));
    }
  }

  /** The release is issued (its clock is set) and turns out to be of [begin, end). */
  issue(release: RangeRelease, begin: number, end: number): void {
    this.remove(release);
    release.begin = begin;
    release.end = end;
    if (begin >= end) return;
    this.add(release);
    this.issued.add(release);
  }

  get isLong(): boolean {
    return this.issued.size > this.foldAt;
  }

  /** Folds what every acquire of key `floor` or above is behind. */
  fold(floor: bigint): void {
    for (const release of this.issued) {
      if (release.key >= floor) continue;
      this.remove(release);
      this.issued.delete(release);
      this.folded.raise(release.begin, release.end, release.clock);
    }
    this.foldAt = Math.max(FOLD_AT, 2 * this.issued.size);
  }

  /** Other threads' releases below `key` that overlap [begin, end): those not issued go to `pending`; returns the largest clock of the others. */
  before(begin: number, end: number, key: bigint, thread: number, pending: Release[]): number {
    if (begin >= end) return 0;
    let clock = 0;
    for (const range of this.folded.overlapping(begin, end)) clock = Math.max(clock, range.value);
    const visit = (release: RangeRelease): void => {
      if (release.thread === thread || release.key >= key || release.begin >= end || release.end <= begin) return;
      if (release.clock === NOT_ISSUED) {
        if (!pending.includes(release)) pending.push(release);
      } else clock = Math.max(clock, release.clock);
    };
    const first = Math.floor(begin / PAGE_BYTES);
    const last = Math.floor((end - 1) / PAGE_BYTES);
    if (last - first > this.pages.size) for (const set of this.pages.values()) set.forEach(visit);
    else for (let page = first; page <= last; page++) this.pages.get(page)?.forEach(visit);
    this.wide.forEach(visit);
    return clock;
  }

  private remove(release: RangeRelease): void {
    this.wide.delete(release);
    if (release.begin >= release.end) return;
    const first = Math.floor(release.begin / PAGE_BYTES);
    const last = Math.floor((release.end - 1) / PAGE_BYTES);
    if (last - first >= MAX_PAGES) return;
    for (let page = first; page <= last; page++) {
      const set = this.pages.get(page);
      set?.delete(release);
      if (set?.size === 0) this.pages.delete(page);
    }
  }
}
