// Stage: replay. What fully associative LRU caches of some capacities would hold, all shown the same references: tells conflict from capacity. They
// are one list of lines, the last used first, in which each capacity is a mark: what stands before it is in that cache.

import { grownTo } from './growing-columns.js';

const NONE = -1;

export class LruStack {
  /** Of the line that `touch` was shown last: how many of the capacities, the smallest first, did not hold it. */
  missed = 0;
  private readonly capacities: Float64Array;
  /** By capacity: the oldest line in it; NONE while it is not full. */
  private readonly last: Int32Array;
  private size = 0;
  private newest = NONE;
  private oldest = NONE;
  /** By line: its newer and its older neighbour. */
  private neighbours = new Int32Array(0);
  /** By line: 1 + how many of the capacities do not hold it; 0: it was never shown. */
  private zone = new Uint8Array(0);

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
    const { last, capacities } = this;
    if (2 * line + 1 >= this.neighbours.length) this.grow(line);
    const isKnown = this.zone[line] !== 0;
    this.missed = isKnown ? this.zone[line] - 1 : capacities.length;
    if (isKnown) {
      if (this.missed < last.length && last[this.missed] === line) last[this.missed] = this.neighbours[2 * line];
      this.unlink(line);
    } else this.size++;
    this.link(line);
    this.zone[line] = 1;
    for (let rank = 0; rank < this.missed; rank++) {
      const pushed = last[rank];
      if (pushed !== NONE) {
        last[rank] = this.neighbours[2 * pushed];
        this.zone[pushed] = rank + 2;
      } else if (this.size === capacities[rank]) last[rank] = this.oldest;
    }
  }

  private link(line: number): void {
    const { newest, neighbours } = this;
    neighbours[2 * line] = NONE;
    neighbours[2 * line + 1] = newest;
    if (newest !== NONE) neighbours[2 * newest] = line;
    else this.oldest = line;
    this.newest = line;
  }

  /** A line that is not the newest. */
  private unlink(line: number): void {
    const { neighbours } = this;
    const newer = neighbours[2 * line];
    const older = neighbours[2 * line + 1];
    neighbours[2 * newer + 1] = older;
    if (older !== NONE) neighbours[2 * older] = newer;
    else this.oldest = newer;
  }

  private grow(line: number): void {
    this.zone = grownTo(this.zone, line);
    this.neighbours = grownTo(this.neighbours, 2 * line + 1);
  }
}
