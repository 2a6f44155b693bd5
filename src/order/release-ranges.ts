// Stage: trace -> replay. Releases of address ranges (frees, thread stacks): which of them an allocation must follow.
// Old ones, that every later acquire is behind, are folded into one clock per byte.

import { RangeMap } from '../base/range-map.js';
import { RangeCells, type RangeRelease } from './range-cells.js';
import type { Release } from './release-lane.js';

const FOLD_AT = 1024;

export class ReleaseRanges {
  /** The ranges of releases that are not issued yet. A free that does not know its size stands for its first byte. */
  private readonly scouted = new RangeCells();
  private readonly issued = new RangeCells();
  private readonly folded = new RangeMap();
  private foldAt = FOLD_AT;

  add(release: RangeRelease): void {
    this.scouted.push(release);
  }

  /** The release, its thread's oldest, is issued (its clock is set) and turns out to be of [begin, end). */
  issue(release: RangeRelease, begin: number, end: number): void {
    this.scouted.shift(release);
    release.begin = begin;
    release.end = end;
    this.issued.push(release);
  }

  get isLong(): boolean {
    return this.issued.size > this.foldAt;
  }

  /** Folds what every acquire of key `floor` or above is behind. */
  fold(floor: bigint): void {
    this.issued.takeBelow(floor, (release, begin, end) => this.folded.raise(begin, end, release.clock));
    this.foldAt = Math.max(FOLD_AT, 2 * this.issued.size);
  }

  /**
   * Other threads' releases below `key` that overlap [begin, end): the last of each that is not issued goes to
   * `pending` if it is above `birth`; returns the largest clock of the others.
   */
  before(begin: number, end: number, key: bigint, thread: number, pending: Release[], birth = -1n): number {
    if (begin >= end) return 0;
    let clock = 0;
    for (const range of this.folded.overlapping(begin, end)) clock = Math.max(clock, range.value);
    this.issued.visit(begin, end, (lane) => {
      if (lane.thread === thread || lane.lastClock <= clock) return;
      const release = lane.lastBelow(key, begin, end);
      if (release) clock = Math.max(clock, release.clock);
    });
    this.scouted.visit(begin, end, (lane) => {
      if (lane.thread === thread) return;
      const release = lane.lastBelow(key, begin, end);
      if (release && release.key > birth) waitForLast(pending, release);
    });
    return clock;
  }
}

/** A thread issues in order, so its last release answers for those before it. */
function waitForLast(pending: Release[], release: Release): void {
  const at = pending.findIndex((other) => other.thread === release.thread);
  if (at < 0) pending.push(release);
  else if (pending[at].key < release.key) pending[at] = release;
}
