// Stage: trace -> replay. One thread's prediction of its next path and that path's coded words: the state that
// docs/trace-format.md draws, kept for the paths that the thread has taken. 64-bit words are pairs of 32-bit halves, so
// arithmetic modulo 2^64 is exact and allocates nothing.

import type { Path, PathTable, RefusePath } from './path-table.js';
import type { VarintReader } from './varint.js';

const TWO_32 = 0x1_0000_0000;
/** The limit for the sizes of all paths that one thread takes; PATH_SIZE is added to the size of each. */
const MAX_TOTAL_SIZE = 1 << 26;
const PATH_SIZE = 16;
/** A path in the pool: link lo, link hi, then per coded word last lo, last hi, stride lo, stride hi. */
const WORD = 4;
const FIRST_WORD = 2;

interface PathState {
  readonly path: Path;
  /** The place in the pool. */
  readonly at: number;
  successor: PathState | null;
}

/** The path numbers that belong to one trace, if the catalog describes several. */
export interface OwnPaths {
  readonly firstPath: number;
  readonly endPath: number;
}

export class PathPrediction {
  /** Halves of the coded words of the path taken last. */
  lo = new Uint32Array(16);
  hi = new Uint32Array(16);
  private readonly states = new Map<number, PathState>();
  private previous: PathState | null = null;
  private baseLo = 0;
  private baseHi = 0;
  private pool = new Uint32Array(256);
  private poolEnd = 0;
  private totalSize = 0;

  constructor(
    private readonly paths: PathTable,
    private readonly refuse: RefusePath,
    /** Path numbers count from `firstPath`. */
    private readonly own: OwnPaths = { firstPath: 0, endPath: Infinity },
  ) {}

  /** All paths are predicted as if the thread had never taken them. */
  restart(): void {
    this.previous = null;
    this.baseLo = this.baseHi = 0;
    this.pool.fill(0, 0, this.poolEnd);
    for (const state of this.states.values()) state.successor = null;
  }

  /** Takes the predicted path, all of whose words are as predicted. */
  takePredicted(): Path {
    const state = this.predicted();
    this.reserve(state.path.codedWords);
    const { lo, hi, pool } = this;
    let at = state.at + FIRST_WORD;
    for (let word = 0; word < state.path.codedWords; word++, at += WORD) {
      const sum = pool[at] + pool[at + 2];
      lo[word] = sum;
      hi[word] = pool[at + 1] + pool[at + 3] + (sum >= TWO_32 ? 1 : 0);
    }
    this.finish(state);
    return state.path;
  }

  /** Takes the predicted path or, where `step` says so, another; `packed`: the word codes of the operation's byte. */
  takeCoded(isOther: boolean, packed: number, control: VarintReader, words: VarintReader): Path {
    const state = isOther ? this.other(control) : this.predicted();
    this.reserve(state.path.codedWords);
    this.readWords(state, packed, control, words);
    this.finish(state);
    return state.path;
  }

  private predicted(): PathState {
    return this.previous?.successor ?? this.previous ?? this.stateOf(this.own.firstPath);
  }

  private other(control: VarintReader): PathState {
    const predicted = this.previous ? this.predicted().path.number : this.own.firstPath;
    control.readZigzag();
    const isSmall = control.hi === 0 || control.hi === TWO_32 - 1;
    return this.stateOf(isSmall ? predicted + (control.hi === 0 ? control.lo : control.lo - TWO_32) : -1);
  }

  private stateOf(number: number): PathState {
    let state = this.states.get(number);
    if (state === undefined) {
      const { firstPath, endPath } = this.own;
      if (number !== -1 && (number < firstPath || number >= endPath))
        this.refuse(`below ${endPath - firstPath}, as the MODULE chunks have`, `${number - firstPath}`);
      const path = this.paths.find(number, this.refuse);
      this.totalSize += path.size + PATH_SIZE;
      if (this.totalSize > MAX_TOTAL_SIZE)
        this.refuse(`at most ${MAX_TOTAL_SIZE} records, words and nodes on the paths of a thread`, 'more');
      state = { path, at: this.poolEnd, successor: null };
      this.poolEnd += FIRST_WORD + WORD * path.codedWords;
      if (this.poolEnd > this.pool.length) {
        const grown = new Uint32Array(Math.max(this.poolEnd, this.pool.length * 2));
        grown.set(this.pool);
        this.pool = grown;
      }
      this.states.set(number, state);
    }
    return state;
  }

  private reserve(words: number): void {
    if (words <= this.lo.length) return;
    this.lo = new Uint32Array(words * 2);
    this.hi = new Uint32Array(words * 2);
  }

  private readWords(state: PathState, packed: number, control: VarintReader, words: VarintReader): void {
    const { lo, hi, pool } = this;
    const { codedWords } = state.path;
    const isWide = codedWords > 3;
    if (isWide && packed !== 0) this.refuse('word codes behind the operation byte', `codes ${packed} in it`);
    let codes = packed;
    for (let word = 0, at = state.at + FIRST_WORD; word < codedWords; word++, at += WORD) {
      if (isWide && (word & 3) === 0) codes = control.byte();
      let low = pool[at];
      let high = pool[at + 1];
      switch (codes & 3) {
        case 0:
          low += pool[at + 2];
          high += pool[at + 3] + (low >= TWO_32 ? 1 : 0);
          break;
        case 1:
          if (word === 0) {
            low = this.baseLo + pool[state.at];
            high = this.baseHi + pool[state.at + 1] + (low >= TWO_32 ? 1 : 0);
          } else {
            low -= pool[at - WORD];
            high -= pool[at - WORD + 1] + (low < 0 ? 1 : 0);
            low = (low >>> 0) + lo[word - 1];
            high += hi[word - 1] + (low >= TWO_32 ? 1 : 0);
          }
          break;
        case 2:
          words.readZigzag();
          low += words.lo;
          high += words.hi + (low >= TWO_32 ? 1 : 0);
          break;
      }
      codes >>= 2;
      lo[word] = low;
      hi[word] = high;
    }
    if (codes !== 0) this.refuse(`codes of ${codedWords} words`, 'more');
  }

  private finish(state: PathState): void {
    const { lo, hi, pool } = this;
    const { codedWords } = state.path;
    for (let word = 0, at = state.at + FIRST_WORD; word < codedWords; word++, at += WORD) {
      const stride = lo[word] - pool[at];
      pool[at + 3] = hi[word] - pool[at + 1] - (stride < 0 ? 1 : 0);
      pool[at + 2] = stride;
      pool[at] = lo[word];
      pool[at + 1] = hi[word];
    }
    if (codedWords > 0) {
      const link = lo[0] - this.baseLo;
      pool[state.at + 1] = hi[0] - this.baseHi - (link < 0 ? 1 : 0);
      pool[state.at] = link;
      this.baseLo = lo[codedWords - 1];
      this.baseHi = hi[codedWords - 1];
    }
    if (this.previous) this.previous.successor = state;
    this.previous = state;
  }
}
