// Stage: replay. One set-associative level with true LRU. A frame is a way of a set, and has the time of its last use,
// 0 while it is free: the frame of the smallest time is filled next.

import { DprofError } from '../base/dprof-error.js';

export const NO_LINE = -1;

export class Cache {
  readonly sets: number;
  readonly lineCount: number;
  private readonly lines: Int32Array;
  private readonly usedAt: Float64Array;
  /** By set: the frame used last, where a line is looked for first. */
  private readonly newest: Int32Array;
  private now = 0;
  /** Where the line stands, or stood, that was found, put in or removed last. */
  frame = 0;

  constructor(
    sizeBytes: number,
    readonly ways: number,
    lineBytes: number,
  ) {
    this.sets = sizeBytes / (ways * lineBytes);
    if (!Number.isInteger(this.sets) || this.sets < 1 || (this.sets & (this.sets - 1)) !== 0) {
      throw new DprofError(
        `a cache of ${sizeBytes} bytes, ${ways} ways and lines of ${lineBytes} bytes has ${this.sets} sets`,
        'choose size, ways and line so that the number of sets is a power of two',
        2,
      );
    }
    this.lineCount = this.sets * ways;
    this.lines = new Int32Array(this.lineCount).fill(NO_LINE);
    this.usedAt = new Float64Array(this.lineCount);
    this.newest = new Int32Array(this.sets);
  }

  setOf(place: number): number {
    return place & (this.sets - 1);
  }

  holds(line: number, place: number): boolean {
    return this.find(line, this.setOf(place) * this.ways) >= 0;
  }

  /** Looks `line` up; a hit makes it the last used. */
  touch(line: number, place: number): boolean {
    const set = this.setOf(place);
    const newest = this.newest[set];
    const frame = this.lines[newest] === line ? newest : this.find(line, set * this.ways);
    if (frame < 0) return false;
    this.newest[set] = this.frame = frame;
    this.usedAt[frame] = ++this.now;
    return true;
  }

  /** Puts in a line that it does not hold; returns the line that had to leave, or NO_LINE. */
  fill(line: number, place: number): number {
    const { lines, usedAt } = this;
    const set = this.setOf(place);
    const first = set * this.ways;
    const end = first + this.ways;
    let frame = first;
    let oldest = usedAt[first];
    for (let other = first + 1; other < end; other++) {
      if (usedAt[other] >= oldest) continue;
      frame = other;
      oldest = usedAt[other];
    }
    const victim = lines[frame];
    this.newest[set] = this.frame = frame;
    lines[frame] = line;
    usedAt[frame] = ++this.now;
    return victim;
  }

  /** Whether it held the line. */
  remove(line: number, place: number): boolean {
    const frame = this.find(line, this.setOf(place) * this.ways);
    if (frame < 0) return false;
    this.frame = frame;
    this.lines[frame] = NO_LINE;
    this.usedAt[frame] = 0;
    return true;
  }

  private find(line: number, first: number): number {
    const { lines } = this;
    const end = first + this.ways;
    for (let frame = first; frame < end; frame++) if (lines[frame] === line) return frame;
    return -1;
  }
}
