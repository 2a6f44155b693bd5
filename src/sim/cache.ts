// Stage: replay. One set-associative level with true LRU. A frame is a way of a set, and has the time of its last use, 0 while it is free: the frame
// of the smallest time is filled next.

import { DprofError } from '../base/dprof-error.js';
import { grownTo } from './growing-columns.js';

export const NO_LINE = -1;

export class Cache {
  readonly sets: number;
  readonly lineCount: number;
  private readonly lines: Int32Array;
  private readonly usedAt: Float64Array;
  private now = 0;
  /** By line: 1 + its frame; 0: it is not here. */
  private frameOf = new Int32Array(0);

  constructor(sizeBytes: number, readonly ways: number, lineBytes: number) {
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
  }

  setOf(place: number): number {
    return place & (this.sets - 1);
  }

  holds(line: number): boolean {
    return line < this.frameOf.length && this.frameOf[line] !== 0;
  }

  /** Looks `line` up; a hit makes it the last used. */
  touch(line: number): boolean {
    if (!this.holds(line)) return false;
    this.usedAt[this.frameOf[line] - 1] = ++this.now;
    return true;
  }

  /** Puts in a line that it does not hold; returns the line that had to leave, or NO_LINE. */
  fill(line: number, place: number): number {
    const first = this.setOf(place) * this.ways;
    let frame = first;
    for (let other = first + 1; other < first + this.ways; other++) if (this.usedAt[other] < this.usedAt[frame]) frame = other;
    const victim = this.lines[frame];
    if (victim !== NO_LINE) this.frameOf[victim] = 0;
    this.frameOf = grownTo(this.frameOf, line);
    this.frameOf[line] = frame + 1;
    this.lines[frame] = line;
    this.usedAt[frame] = ++this.now;
    return victim;
  }

  /** Whether it held the line. */
  remove(line: number): boolean {
    if (!this.holds(line)) return false;
    const frame = this.frameOf[line] - 1;
    this.frameOf[line] = 0;
    this.lines[frame] = NO_LINE;
    this.usedAt[frame] = 0;
    return true;
  }
}
