// Stage: trace -> check. When the memory at an address was handed out last, in recorded time.

import { lowerBound } from '../base/lower-bound.js';

interface Birth {
  readonly begin: number;
  readonly end: number;
  readonly key: bigint;
}

/** A binary tree over the places where births begin or end. */
export class MemoryBirths {
  private readonly bounds: Float64Array;
  private readonly leaves: number;
  /** By node: the keys of the births that cover all of it, rising. */
  private readonly keys = new Map<number, bigint[]>();

  constructor(births: readonly Birth[]) {
    this.bounds = Float64Array.from(new Set(births.flatMap(({ begin, end }) => [begin, end]))).sort();
    this.leaves = 2 ** Math.ceil(Math.log2(Math.max(2, this.bounds.length)));
    for (const { begin, end, key } of births.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)))
      this.cover(this.leaves + lowerBound(this.bounds, begin), this.leaves + lowerBound(this.bounds, end), key);
  }

  /** The largest key up to `key` with which memory at `address` was handed out; -1: none. */
  lastBefore(address: number, key: bigint): bigint {
    const place = lowerBound(this.bounds, address);
    const leaf = this.bounds[place] === address ? place : place - 1;
    let last = -1n;
    for (let node = this.leaves + leaf; leaf >= 0 && node > 0; node >>= 1) {
      const birth = this.keys.get(node)?.findLast((own) => own <= key) ?? -1n;
      if (birth > last) last = birth;
    }
    return last;
  }

  private cover(from: number, to: number, key: bigint): void {
    for (let [first, end] = [from, to]; first < end; first >>= 1, end >>= 1) {
      if (first & 1) this.add(first++, key);
      if (end & 1) this.add(--end, key);
    }
  }

  private add(node: number, key: bigint): void {
    const keys = this.keys.get(node);
    if (keys) keys.push(key);
    else this.keys.set(node, [key]);
  }

  /** How many bounds are below `bound`. */
}
