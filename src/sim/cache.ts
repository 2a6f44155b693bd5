// Stage: replay. One cache: sets of ways, a replacement policy, and the lines that a prefetcher brought and no
// reference has used yet. Lines go by their number in the program, address / line size.

import { DprofError } from '../base/dprof-error.js';
import { setsOf } from '../contract/machine.js';
import type { CompleteLevel } from '../contract/complete-machine.js';
import { REPLACEMENT_POLICIES } from './policies/policies.js';
import type { CacheIdentity, SetPolicy } from './policies/policy.js';

interface CacheSet {
  /** By way; null: free. */
  readonly lines: (number | null)[];
  readonly policy: SetPolicy;
}

export class Cache {
  readonly sets: number;
  readonly ways: number;
  /** Prefetches into it; useful ones were referenced here, useless ones left without a reference. */
  issued = 0;
  useful = 0;
  useless = 0;
  private readonly cacheSets = new Map<number, CacheSet>();
  private readonly makePolicy: () => SetPolicy;
  private readonly unusedPrefetches = new Set<number>();

  /** `physicalLine`: the number that chooses a line's set. */
  constructor(
    shape: CompleteLevel,
    lineBytes: number,
    readonly identity: CacheIdentity,
    private readonly physicalLine: (line: number) => number,
  ) {
    const { sizeBytes, ways, policy } = shape;
    this.ways = ways;
    this.sets = setsOf(shape, lineBytes);
    if (!Number.isInteger(this.sets) || this.sets < 1) {
      throw new DprofError(
        `a cache of ${sizeBytes} bytes, ${ways} ways and lines of ${lineBytes} bytes has ${this.sets} sets`,
        'choose size, ways and line so that the number of sets is whole',
        2,
      );
    }
    if (policy === 'tree-plru' && (ways & (ways - 1)) !== 0) {
      throw new DprofError(
        `policy tree-plru with ${ways} ways: a tree needs a power of two`,
        'choose 2, 4, 8 or 16 ways, or another policy',
        2,
      );
    }
    this.makePolicy = REPLACEMENT_POLICIES[policy](ways, identity);
  }

  get lineCount(): number {
    return this.sets * this.ways;
  }

  /** The set of a line is its physical line number modulo the number of sets. */
  setOf(line: number): number {
    return this.physicalLine(line) % this.sets;
  }

  holds(line: number): boolean {
    return this.cacheSets.get(this.setOf(line))?.lines.includes(line) ?? false;
  }

  /** Looks the line up; a hit touches the policy. */
  lookUp(line: number): boolean {
    const set = this.cacheSets.get(this.setOf(line));
    const way = set?.lines.indexOf(line) ?? -1;
    if (way >= 0) set!.policy.hit(way);
    return way >= 0;
  }

  /** Puts in a line that it does not hold. A free way, the lowest, is filled first; else a line has to leave. */
  fill(line: number): number | null {
    const { lines, policy } = this.setFor(line);
    const free = lines.indexOf(null);
    const way = free >= 0 ? free : policy.victim();
    const victim = lines[way];
    if (victim !== null) this.forgetPrefetch(victim);
    lines[way] = line;
    policy.fill(way);
    return victim;
  }

  /** Takes the line out; its way is free, and keeps what the policy knows of it. Whether it held the line. */
  remove(line: number): boolean {
    const lines = this.cacheSets.get(this.setOf(line))?.lines;
    const way = lines?.indexOf(line) ?? -1;
    if (way < 0) return false;
    this.forgetPrefetch(line);
    lines![way] = null;
    return true;
  }

  /** A prefetch filled the line into this level. */
  markPrefetched(line: number): void {
    this.issued++;
    this.unusedPrefetches.add(line);
  }

  /** A reference hit the line; true if it is the first one to what a prefetch brought, which was useful then. */
  usePrefetched(line: number): boolean {
    const wasUnused = this.unusedPrefetches.delete(line);
    if (wasUnused) this.useful++;
    return wasUnused;
  }

  /** Prefetched lines that left without a reference, or are here without one. */
  countUseless(): number {
    return this.useless + this.unusedPrefetches.size;
  }

  private forgetPrefetch(line: number): void {
    if (this.unusedPrefetches.delete(line)) this.useless++;
  }

  private setFor(line: number): CacheSet {
    const number = this.setOf(line);
    let set = this.cacheSets.get(number);
    if (set === undefined) {
      set = { lines: new Array<number | null>(this.ways).fill(null), policy: this.makePolicy() };
      this.cacheSets.set(number, set);
    }
    return set;
  }
}
