// Stage: trace -> check. The largest keys that were seen, for the question: has a thread other than this one a larger
// key? By itself, and by range.

import { lowerBound } from '../base/lower-bound.js';

/** The largest key, and the largest of any other thread than that one's. */
export class LatestKeys {
  private key = -1n;
  private thread = -1;
  private otherKey = -1n;
  private otherThread = -1;

  add(thread: number, key: bigint): void {
    if (thread === this.thread) {
      if (key > this.key) this.key = key;
    } else if (key > this.key) {
      this.otherKey = this.key;
      this.otherThread = this.thread;
      this.key = key;
      this.thread = thread;
    } else if (key > this.otherKey) {
      this.otherKey = key;
      this.otherThread = thread;
    }
  }

  /** The largest of threads other than `thread`; null if none is above `floor`. */
  above(floor: bigint, thread: number): { thread: number; key: bigint } | null {
    const isOwn = thread === this.thread;
    const key = isOwn ? this.otherKey : this.key;
    return key > floor ? { thread: isOwn ? this.otherThread : this.thread, key } : null;
  }
}

/** The same for addresses: a binary tree over the places where ranges begin or end, which must be known beforehand. */
export class LatestKeysByRange {
  private readonly bounds: Float64Array;
  private readonly leaves: number;
  /**
   * By node. `whole` has the ranges that cover all of the node; `below` has these and all ranges that lie somewhere
   * below it.
   */
  private readonly whole = new Map<number, LatestKeys>();
  private readonly below = new Map<number, LatestKeys>();

  constructor(bounds: Iterable<number>) {
    this.bounds = Float64Array.from(new Set(bounds)).sort();
    this.leaves = 2 ** Math.ceil(Math.log2(Math.max(2, this.bounds.length)));
  }

  /** [begin, end), both of them bounds. */
  add(begin: number, end: number, thread: number, key: bigint): void {
    this.visit(1, 0, this.leaves, lowerBound(this.bounds, begin), lowerBound(this.bounds, end), (node, isCovered) => {
      keysOf(this.below, node).add(thread, key);
      if (isCovered) keysOf(this.whole, node).add(thread, key);
    });
  }

  above(begin: number, end: number, floor: bigint, thread: number): { thread: number; key: bigint } | null {
    let found: { thread: number; key: bigint } | null = null;
    this.visit(1, 0, this.leaves, lowerBound(this.bounds, begin), lowerBound(this.bounds, end), (node, isCovered) => {
      found = (isCovered ? this.below : this.whole).get(node)?.above(found?.key ?? floor, thread) ?? found;
    });
    return found;
  }

  private visit(
    node: number,
    first: number,
    end: number,
    from: number,
    to: number,
    meet: (node: number, isCovered: boolean) => void,
  ): void {
    if (from >= end || to <= first) return;
    const isCovered = from <= first && end <= to;
    meet(node, isCovered);
    if (isCovered) return;
    const middle = (first + end) / 2;
    this.visit(2 * node, first, middle, from, to, meet);
    this.visit(2 * node + 1, middle, end, from, to, meet);
  }
}

function keysOf(nodes: Map<number, LatestKeys>, node: number): LatestKeys {
  let keys = nodes.get(node);
  if (!keys) nodes.set(node, (keys = new LatestKeys()));
  return keys;
}
