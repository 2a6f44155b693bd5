// Stage: replay. One set-associative level with true LRU. A set is a row of lines, the last used first, free ways behind.

import { DprofError } from '../base/dprof-error.js';

export const NO_LINE = -1;

export class Cache {
  readonly sets: number;
  private readonly lines: Int32Array;

  constructor(sizeBytes: number, readonly ways: number, lineBytes: number) {
    this.sets = sizeBytes / (ways * lineBytes);
    if (!Number.isInteger(this.sets) || this.sets < 1 || (this.sets & (this.sets - 1)) !== 0) {
      throw new DprofError(
        `a cache of ${sizeBytes} bytes, ${ways} ways and lines of ${lineBytes} bytes has ${this.sets} sets`,
        'choose size, ways and line so that the number of sets is a power of two',
        2,
      );
    }
    this.lines = new Int32Array(this.sets * ways).fill(NO_LINE);
  }

  get lineCount(): number {
    return this.lines.length;
  }

  setOf(lowBits: number): number {
    return (lowBits & (this.sets - 1)) >>> 0;
  }

  holds(line: number, lowBits: number): boolean {
    return this.find(line, this.setOf(lowBits) * this.ways) >= 0;
  }

  /** Looks `line` up; a hit makes it the last used. */
  touch(line: number, lowBits: number): boolean {
    const first = this.setOf(lowBits) * this.ways;
    const at = this.find(line, first);
    if (at < 0) return false;
    if (at !== first) {
      this.lines.copyWithin(first + 1, first, at);
      this.lines[first] = line;
    }
    return true;
  }

  /** Puts in a line that it does not hold; returns the line that had to leave, or NO_LINE. */
  fill(line: number, lowBits: number): number {
    const first = this.setOf(lowBits) * this.ways;
    const victim = this.lines[first + this.ways - 1];
    this.lines.copyWithin(first + 1, first, first + this.ways - 1);
    this.lines[first] = line;
    return victim;
  }

  /** Whether it held the line. */
  remove(line: number, lowBits: number): boolean {
    const first = this.setOf(lowBits) * this.ways;
    const at = this.find(line, first);
    if (at < 0) return false;
    this.lines.copyWithin(at, at + 1, first + this.ways);
    this.lines[first + this.ways - 1] = NO_LINE;
    return true;
  }

  private find(line: number, first: number): number {
    const end = first + this.ways;
    for (let at = first; at < end; at++) if (this.lines[at] === line) return at;
    return -1;
  }
}
