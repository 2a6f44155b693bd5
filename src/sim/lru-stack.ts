// Stage: replay. What fully associative LRU caches of some capacities would hold, all shown the same references: tells
// conflict from capacity. They are one list of lines, the last used first, in which each capacity is a mark: what
// stands before it is in that cache.

import { grownTo } from './growing-columns.js';

const NONE = -1;
const WIDTH = 4;
const NEWER = 0;
const OLDER = 1;
const ZONE = 2;

export class LruStack {
  /** Of the line that `touch` was shown last: how many of the capacities, the smallest first, did not hold it. */
  missed = 0;
  private readonly capacities: Float64Array;
  /** By capacity: the oldest line in it; NONE while it is not full. */
  private readonly last: Int32Array;
  private size = 0;
  private newest = NONE;
  private oldest = NONE;
  /**
   * By line, side by side: its newer and its older neighbour, and its zone: 1 + how many of the capacities do not hold
   * it; 0: it was never shown.
   */
  private rows = new Int32Array(0);

  constructor(capacities: readonly number[]) {
    this.capacities = Float64Array.from(new Set(capacities)).sort();
    this.last = new Int32Array(this.capacities.length).fill(NONE);
  }

  /** The line that `touch` was shown was in the cache of that capacity if `missed` is not above this. */
  rankOf(capacity: number): number {
    return this.capacities.indexOf(capacity);
  }

  /** Shows it a reference. */
  touch(line: number): void {
    this.missed = 0;
    if (line !== this.newest) this.bringUp(line);
  }

  private bringUp(line: number): void {
    const own = WIDTH * line;
    if (own + ZONE >= this.rows.length) this.rows = grownTo(this.rows, own + ZONE);
    const { rows, last, capacities } = this;
    const zone = rows[own + ZONE];
    this.missed = zone !== 0 ? zone - 1 : capacities.length;
    if (zone !== 0) {
      if (zone <= last.length && last[zone - 1] === line) last[zone - 1] = rows[own + NEWER];
      this.unlink(line);
    } else this.size++;
    this.link(line);
    rows[own + ZONE] = 1;
    for (let rank = 0; rank < this.missed; rank++) {
      const pushed = last[rank];
      if (pushed !== NONE) {
        last[rank] = rows[WIDTH * pushed + NEWER];
        rows[WIDTH * pushed + ZONE] = rank + 2;
      } else if (this.size === capacities[rank]) last[rank] = this.oldest;
    }
  }

  private link(line: number): void {
    const { newest, rows } = this;
    rows[WIDTH * line + NEWER] = NONE;
    rows[WIDTH * line + OLDER] = newest;
    if (newest !== NONE) rows[WIDTH * newest + NEWER] = line;
    else this.oldest = line;
    this.newest = line;
  }

  /** A line that is not the newest. */
  private unlink(line: number): void {
    const { rows } = this;
    const newer = rows[WIDTH * line + NEWER];
    const older = rows[WIDTH * line + OLDER];
    rows[WIDTH * newer + OLDER] = older;
    if (older !== NONE) rows[WIDTH * older + NEWER] = newer;
    else this.oldest = newer;
  }
}
