// Stage: replay. How often each (level, taker, owner, bin) was met: an open hash table in typed arrays, since there is
// one for every line that leaves a cache.

import type { TakerTable } from '../replay/result.js';

const FIRST_SIZE = 1 << 10;

export class TakerCounts {
  private used = 0;
  private place = new Uint16Array(FIRST_SIZE);
  private taker = new Uint32Array(FIRST_SIZE);
  private owner = new Uint32Array(FIRST_SIZE);
  /** 0: free. */
  private lines = new Float64Array(FIRST_SIZE);

  add(level: number, taker: number, owner: number, bin: number, lines = 1): void {
    const place = level * 256 + bin;
    const mask = this.lines.length - 1;
    let at = hash(place, taker, owner) & mask;
    while (this.lines[at] !== 0 && (this.place[at] !== place || this.taker[at] !== taker || this.owner[at] !== owner))
      at = (at + 1) & mask;
    const isNew = this.lines[at] === 0;
    this.lines[at] += lines;
    if (!isNew) return;
    this.place[at] = place;
    this.taker[at] = taker;
    this.owner[at] = owner;
    if (++this.used * 2 > mask) this.widen();
  }

  restart(): void {
    this.used = 0;
    this.lines.fill(0);
  }

  freeze(): TakerTable {
    const rows = [...this.lines.keys()].filter((at) => this.lines[at] !== 0);
    return {
      count: rows.length,
      level: Uint8Array.from(rows, (at) => this.place[at] >> 8),
      taker: Uint32Array.from(rows, (at) => this.taker[at]),
      owner: Uint32Array.from(rows, (at) => this.owner[at]),
      bin: Uint8Array.from(rows, (at) => this.place[at] & 255),
      lines: Float64Array.from(rows, (at) => this.lines[at]),
    };
  }

  private widen(): void {
    const { place, taker, owner, lines } = this;
    const size = lines.length * 2;
    this.used = 0;
    this.place = new Uint16Array(size);
    this.taker = new Uint32Array(size);
    this.owner = new Uint32Array(size);
    this.lines = new Float64Array(size);
    for (let at = 0; at < lines.length; at++)
      if (lines[at] !== 0) this.add(place[at] >> 8, taker[at], owner[at], place[at] & 255, lines[at]);
  }
}

function hash(place: number, taker: number, owner: number): number {
  let mixed = Math.imul(place ^ Math.imul(taker, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(owner, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
