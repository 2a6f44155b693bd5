// Stage: steps -> trace. The steps of one thread to the payloads of its EVENTS chunks: the mirror of event-decoder.ts.
// The recorder's own encoder is native; both write the same bytes for the same steps.

import { packColumn } from './column.js';
import { EventWriter, type EventEntry } from './event-writer.js';
import { LAYOUT } from './layout.js';
import { VarintWriter } from './varint-writer.js';

const HEAD = LAYOUT.dprof_chunk_events;
const TWO_32 = 0x1_0000_0000;
const Code = { stride: 0, linked: 1, logged: 2, same: 3 } as const;

/** What the thread did when it took the path last; path-prediction.ts has the same. */
interface PathState {
  readonly path: number;
  successor: PathState | null;
  linkLo: number;
  linkHi: number;
  readonly lastLo: Uint32Array;
  readonly lastHi: Uint32Array;
  readonly strideLo: Uint32Array;
  readonly strideHi: Uint32Array;
}

/** Chunks of a thread must be taken in order. */
export class StepEncoder {
  /** In the chunk at hand. */
  steps = 0;
  private run = 0;
  private readonly control = new VarintWriter();
  private readonly words = new VarintWriter();
  private readonly events = new EventWriter();
  private previous: PathState | null = null;
  private baseLo = 0;
  private baseHi = 0;
  private readonly states = new Map<number, PathState>();
  private codes = new Uint8Array(16);

  /** Bytes of the chunk at hand, before they are packed. */
  get bytes(): number {
    return this.control.length + this.words.length + this.events.bytes().length;
  }

  event(entry: EventEntry): void {
    this.steps++;
    this.endRun();
    this.control.byte(2);
    this.events.write(entry);
  }

  /**
   * A path, by its number over the whole trace, with its coded words as unsigned halves; `stamp`: the entry of its last
   * record, if that is STAMPED.
   */
  path(number: number, lo: ArrayLike<number>, hi: ArrayLike<number>, words: number, stamp?: EventEntry): void {
    this.steps++;
    const predicted = this.previous?.successor ?? this.previous;
    const isPredicted = number === (predicted?.path ?? 0);
    const state = predicted?.path === number ? predicted : this.stateOf(number, words);
    if (words > this.codes.length) this.codes = new Uint8Array(words * 2);
    let any = 0;
    for (let word = 0; word < words; word++) any |= this.codes[word] = this.codeOf(state, lo, hi, word);
    if (isPredicted && any === 0) this.run++;
    else this.explicitStep(state, isPredicted, lo, hi, words, number - (predicted?.path ?? 0));
    this.finish(state, lo, hi, words);
    if (stamp) this.events.write(stamp);
  }

  /** The payload of a chunk with the steps since the last one. */
  takeChunk(): Buffer {
    if (this.run > 0) this.endRun();
    const head = Buffer.alloc(HEAD.size);
    head.writeUInt32LE(this.steps, HEAD.steps);
    head.writeUInt32LE(this.events.entries, HEAD.events);
    const columns = [this.control, this.words, this.events].map((column) => packColumn(column.bytes()));
    for (const column of [this.control, this.words, this.events]) column.clear();
    this.steps = 0;
    return Buffer.concat([head, ...columns]);
  }

  private endRun(): void {
    this.control.number(this.run);
    this.run = 0;
  }

  private explicitStep(
    state: PathState,
    isPredicted: boolean,
    lo: ArrayLike<number>,
    hi: ArrayLike<number>,
    words: number,
    difference: number,
  ): void {
    const { codes, control } = this;
    const pack = (from: number): number => {
      let packed = 0;
      for (let word = from; word < Math.min(words, from + 4); word++) packed |= codes[word] << (2 * (word - from));
      return packed;
    };
    this.endRun();
    control.byte((isPredicted ? 0 : 1) | (words <= 3 ? pack(0) << 2 : 0));
    if (!isPredicted) control.zigzagHalves(difference >>> 0, difference < 0 ? TWO_32 - 1 : 0);
    if (words > 3) for (let word = 0; word < words; word += 4) control.byte(pack(word));
    for (let word = 0; word < words; word++) {
      if (codes[word] !== Code.logged) continue;
      const low = lo[word] - state.lastLo[word];
      this.words.zigzagHalves(low >>> 0, (hi[word] - state.lastHi[word] - (low < 0 ? 1 : 0)) >>> 0);
    }
  }

  private stateOf(path: number, words: number): PathState {
    let state = this.states.get(path);
    if (!state) {
      const [lastLo, lastHi, strideLo, strideHi] = Array.from({ length: 4 }, () => new Uint32Array(words));
      state = { path, successor: null, linkLo: 0, linkHi: 0, lastLo, lastHi, strideLo, strideHi };
      this.states.set(path, state);
    }
    return state;
  }

  /** The first that fits, in the order of the format. */
  private codeOf(state: PathState, lo: ArrayLike<number>, hi: ArrayLike<number>, word: number): number {
    const { lastLo, lastHi, strideLo, strideHi } = state;
    const sum = lastLo[word] + strideLo[word];
    if (lo[word] === sum >>> 0 && hi[word] === (lastHi[word] + strideHi[word] + (sum >= TWO_32 ? 1 : 0)) >>> 0)
      return Code.stride;
    if (lo[word] === lastLo[word] && hi[word] === lastHi[word]) return Code.same;
    let low: number;
    let high: number;
    if (word === 0) {
      low = this.baseLo + state.linkLo;
      high = this.baseHi + state.linkHi;
    } else {
      const apart = lastLo[word] - lastLo[word - 1];
      low = (apart >>> 0) + lo[word - 1];
      high = lastHi[word] - lastHi[word - 1] - (apart < 0 ? 1 : 0) + hi[word - 1];
    }
    return lo[word] === low >>> 0 && hi[word] === (high + (low >= TWO_32 ? 1 : 0)) >>> 0 ? Code.linked : Code.logged;
  }

  private finish(state: PathState, lo: ArrayLike<number>, hi: ArrayLike<number>, words: number): void {
    for (let word = 0; word < words; word++) {
      const stride = lo[word] - state.lastLo[word];
      state.strideHi[word] = hi[word] - state.lastHi[word] - (stride < 0 ? 1 : 0);
      state.strideLo[word] = stride;
      state.lastLo[word] = lo[word];
      state.lastHi[word] = hi[word];
    }
    if (words > 0) {
      const link = lo[0] - this.baseLo;
      state.linkHi = (hi[0] - this.baseHi - (link < 0 ? 1 : 0)) >>> 0;
      state.linkLo = link >>> 0;
      this.baseLo = lo[words - 1];
      this.baseHi = hi[words - 1];
    }
    if (this.previous) this.previous.successor = state;
    this.previous = state;
  }
}
