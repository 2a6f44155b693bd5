// Stage: trace -> replay. One execution of a loop that was recorded once: its path and coded words to the records of
// all its iterations, in order.

import type { Path, RefusePath } from './path-table.js';

const TWO_32 = 0x1_0000_0000;
/** Iterations and their records, together, that are believed: what a program makes in months. */
const MOST_RECORDS = 2 ** 40;

export class LoopPath {
  /** Halves of the words of all records of the iteration at hand. */
  lo = new Uint32Array(16);
  hi = new Uint32Array(16);
  /** The index of the current record's first word, and the number of its words. */
  first = 0;
  words = 0;
  record = 0;
  private strideLo = new Uint32Array(16);
  private strideHi = new Uint32Array(16);
  private path: Path | null = null;
  private wholeLeft = 0;
  private nextRecord = 0;
  /** Records of this iteration. */
  private records = 0;

  /** `codedLo`, `codedHi`: halves of the path's coded words. */
  begin(path: Path, codedLo: Uint32Array, codedHi: Uint32Array, refuse: RefusePath): void {
    const iterations = codedHi[0] * TWO_32 + codedLo[0];
    if (iterations * path.records.length > MOST_RECORDS)
      refuse('a loop of at most 2^40 records', `${iterations} iterations of ${path.records.length}`);
    this.reserve(path.source.length);
    const { lo, hi, strideLo, strideHi } = this;
    const { strideSource, stride } = path.loop!;
    path.source.forEach((coded, word) => {
      const low = codedLo[coded] + path.delta[word];
      lo[word] = low;
      hi[word] = codedHi[coded] + (low < 0 ? -1 : low >= TWO_32 ? 1 : 0);
      strideLo[word] = strideSource[word] === 0 ? stride[word] : codedLo[strideSource[word]];
      strideHi[word] = strideSource[word] === 0 ? (stride[word] < 0 ? -1 : 0) : codedHi[strideSource[word]];
    });
    this.path = path;
    this.wholeLeft = iterations;
    this.beginIteration();
  }

  /** Moves to the next record; false if there is none. */
  next(): boolean {
    if (this.path === null) return false;
    if (this.nextRecord === this.records) {
      if (this.wholeLeft === 0) {
        this.path = null;
        return false;
      }
      this.wholeLeft--;
      this.advance(this.path.source.length);
      this.beginIteration();
      return this.next();
    }
    const { records, firstWord } = this.path;
    this.record = records[this.nextRecord];
    this.first = firstWord[this.nextRecord];
    this.words = firstWord[++this.nextRecord] - this.first;
    return true;
  }

  private beginIteration(): void {
    this.nextRecord = 0;
    this.records = this.wholeLeft > 0 ? this.path!.records.length : this.path!.loop!.tailRecords;
  }

  private advance(words: number): void {
    const { lo, hi, strideLo, strideHi } = this;
    for (let word = 0; word < words; word++) {
      const low = lo[word] + strideLo[word];
      lo[word] = low;
      hi[word] += strideHi[word] + (low >= TWO_32 ? 1 : 0);
    }
  }

  private reserve(words: number): void {
    if (words <= this.lo.length) return;
    [this.lo, this.hi, this.strideLo, this.strideHi] = Array.from({ length: 4 }, () => new Uint32Array(words * 2));
  }
}
