// Stage: replay. One cache of a whole machine: any number of sets, any replacement, and which of its lines a prefetch
// brought that nobody used yet.

import { DprofError } from '../base/dprof-error.js';
import { setsOf, type CacheLevel } from '../replay/machine.js';
import { NO_LINE } from './cache.js';
import { replacementOf, type CacheIdentity, type Replacement } from './replacement.js';

/**
 * Told of every line that comes and goes, if somebody wants to know: who pushed out whom. `frame`: set × ways + way.
 */
export interface CacheSink {
  /** `victim`: the line that had to leave for it, or NO_LINE. */
  filled(level: number, unit: number, line: number, frame: number, victim: number): void;
  /** Taken out: by a store of others, by an inclusive level, or because it moved up. */
  removed(level: number, unit: number, line: number, frame: number): void;
}

export class WholeCache {
  readonly sets: number;
  readonly ways: number;
  /** Prefetches into it; useless ones are those that left without a reference. */
  issued = 0;
  useful = 0;
  useless = 0;
  /** The last `reference` was the first to a line that was prefetched. */
  wasPrefetched = false;
  /** Where the line stands, or stood, that was found, put in or removed last: set × ways + way. */
  frame = 0;
  private readonly lines: Int32Array;
  private readonly isUnused: Uint8Array;
  private readonly replacement: Replacement;

  constructor(
    shape: CacheLevel,
    lineBytes: number,
    readonly identity: CacheIdentity,
    private readonly sink: CacheSink | null = null,
  ) {
    const { sizeBytes, ways, policy = 'lru' } = shape;
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
    this.lines = new Int32Array(this.sets * ways).fill(NO_LINE);
    this.isUnused = new Uint8Array(this.sets * ways);
    this.replacement = replacementOf(policy, this.sets, ways, identity);
  }

  get lineCount(): number {
    return this.lines.length;
  }

  /** `place`: the physical line number. */
  setOf(place: number): number {
    return place % this.sets;
  }

  holds(line: number, place: number): boolean {
    return this.find(line, this.setOf(place) * this.ways) >= 0;
  }

  /** Looks the line up for a reference. */
  reference(line: number, place: number): boolean {
    this.wasPrefetched = false;
    const frame = this.lookUp(line, place);
    if (frame < 0) return false;
    if (this.isUnused[frame] === 1) {
      this.isUnused[frame] = 0;
      this.useful++;
      this.wasPrefetched = true;
    }
    return true;
  }

  /** Looks the line up for a prefetch into a level above. */
  touch(line: number, place: number): boolean {
    return this.lookUp(line, place) >= 0;
  }

  /** Puts in a line that it does not hold; returns the line that had to leave, or NO_LINE. */
  fill(line: number, place: number): number {
    const first = this.setOf(place) * this.ways;
    const free = this.find(NO_LINE, first);
    const frame = free >= 0 ? free : this.replacement.victim(first);
    const victim = this.lines[frame];
    this.leave(frame);
    this.frame = frame;
    this.lines[frame] = line;
    this.replacement.fill(first, frame);
    this.sink?.filled(this.identity.level, this.identity.unit, line, frame, victim);
    return victim;
  }

  /** `fill` by a prefetch into this level. */
  prefetch(line: number, place: number): number {
    const victim = this.fill(line, place);
    this.isUnused[this.frame] = 1;
    this.issued++;
    return victim;
  }

  /** Whether it held the line. */
  remove(line: number, place: number): boolean {
    const frame = this.find(line, this.setOf(place) * this.ways);
    if (frame < 0) return false;
    this.leave(frame);
    this.frame = frame;
    this.lines[frame] = NO_LINE;
    this.sink?.removed(this.identity.level, this.identity.unit, line, frame);
    return true;
  }

  /** Prefetched lines that nobody used yet. */
  countUnused(): number {
    return this.isUnused.reduce((sum, unused) => sum + unused, 0);
  }

  private lookUp(line: number, place: number): number {
    const first = this.setOf(place) * this.ways;
    const frame = this.find(line, first);
    if (frame >= 0) {
      this.frame = frame;
      this.replacement.touch(first, frame);
    }
    return frame;
  }

  private leave(frame: number): void {
    this.useless += this.isUnused[frame];
    this.isUnused[frame] = 0;
  }

  private find(line: number, first: number): number {
    const end = first + this.ways;
    for (let frame = first; frame < end; frame++) if (this.lines[frame] === line) return frame;
    return -1;
  }
}
