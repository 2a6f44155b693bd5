// Stage: replay. Who leaves a full set: the policies of docs/replay/caches.md, "Whole machines". A way is named by its
// frame, set × ways + way, and a set by its first frame. Free ways are the cache's business.

import type { Policy } from '../replay/machine.js';
import { mix } from './mix.js';

export interface Replacement {
  /** A hit in the way. */
  touch(first: number, frame: number): void;
  /** The way was filled. */
  fill(first: number, frame: number): void;
  /** The frame whose line leaves the full set. */
  victim(first: number): number;
}

export interface CacheIdentity {
  readonly seed: number;
  /** 0 to 2, and the number of the cache at its level. */
  readonly level: number;
  readonly unit: number;
}

export function replacementOf(
  policy: Policy,
  sets: number,
  ways: number,
  { seed, level, unit }: CacheIdentity,
): Replacement {
  switch (policy) {
    case 'lru':
      return new LeastRecent(sets, ways);
    case 'fifo':
      return new FirstIn(sets, ways);
    case 'tree-plru':
      return new TreePlru(sets, ways);
    case 'bit-plru':
      return new BitPlru(sets, ways);
    case 'srrip':
      return new Srrip(sets, ways);
    case 'random':
      return new RandomVictim(ways, mix(seed, level * 65536 + unit));
  }
}

/** Frames by the time of their last event; the earliest leaves. */
abstract class ByTime implements Replacement {
  private readonly times: Float64Array;
  private now = 0;

  constructor(
    sets: number,
    private readonly ways: number,
  ) {
    this.times = new Float64Array(sets * ways);
  }

  abstract touch(first: number, frame: number): void;

  fill(_first: number, frame: number): void {
    this.times[frame] = ++this.now;
  }

  victim(first: number): number {
    let oldest = first;
    for (let frame = first + 1; frame < first + this.ways; frame++)
      if (this.times[frame] < this.times[oldest]) oldest = frame;
    return oldest;
  }
}

class LeastRecent extends ByTime {
  touch(first: number, frame: number): void {
    this.fill(first, frame);
  }
}

class FirstIn extends ByTime {
  touch(): void {}
}

/**
 * A binary tree over the ways of each set, the root at 1, the children of node n at 2n and 2n + 1; a bit says which
 * half the next victim is in.
 */
class TreePlru implements Replacement {
  private readonly upper: Uint8Array;

  constructor(
    sets: number,
    private readonly ways: number,
  ) {
    this.upper = new Uint8Array(sets * ways);
  }

  touch(first: number, frame: number): void {
    for (let node = frame - first + this.ways; node > 1; node >>= 1) this.upper[first + (node >> 1)] = (node & 1) ^ 1;
  }

  fill(first: number, frame: number): void {
    this.touch(first, frame);
  }

  victim(first: number): number {
    let node = 1;
    while (node < this.ways) node = 2 * node + this.upper[first + node];
    return first + node - this.ways;
  }
}

class BitPlru implements Replacement {
  private readonly isRecent: Uint8Array;

  constructor(
    sets: number,
    private readonly ways: number,
  ) {
    this.isRecent = new Uint8Array(sets * ways);
  }

  touch(first: number, frame: number): void {
    this.isRecent[frame] = 1;
    const set = this.isRecent.subarray(first, first + this.ways);
    if (set.includes(0)) return;
    set.fill(0);
    this.isRecent[frame] = 1;
  }

  fill(first: number, frame: number): void {
    this.touch(first, frame);
  }

  victim(first: number): number {
    const way = this.isRecent.subarray(first, first + this.ways).indexOf(0);
    return first + Math.max(way, 0);
  }
}

/** Two bits per way: in how distant a future its line is expected again. */
class Srrip implements Replacement {
  private readonly distance: Uint8Array;

  constructor(
    sets: number,
    private readonly ways: number,
  ) {
    this.distance = new Uint8Array(sets * ways);
  }

  touch(_first: number, frame: number): void {
    this.distance[frame] = 0;
  }

  fill(_first: number, frame: number): void {
    this.distance[frame] = 2;
  }

  victim(first: number): number {
    const set = this.distance.subarray(first, first + this.ways);
    for (;;) {
      const way = set.indexOf(3);
      if (way >= 0) return first + way;
      for (let index = 0; index < this.ways; index++) set[index]++;
    }
  }
}

class RandomVictim implements Replacement {
  private state: number;

  constructor(
    private readonly ways: number,
    seed: number,
  ) {
    this.state = seed === 0 ? 1 : seed;
  }

  touch(): void {}
  fill(): void {}

  victim(first: number): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return first + (this.state % this.ways);
  }
}
