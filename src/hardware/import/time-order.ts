// Stage: hardware. Samples of several CPUs' buffers to one order of time. perf record empties the buffers in rounds,
// and says at the end of each that nothing older than the round before is still to come; so two rounds are held, and
// never more than MOST_ROWS.

import { gather, SampleRows } from './sample-rows.js';
import type { SampleColumns } from '../samples/samples.js';

/** At most these are held back: 54 MB. */
const MOST_ROWS = 1 << 19;
/** Rows that are handed on at once. */
const CHUNK_ROWS = 1 << 16;

export class TimeOrder {
  readonly rows = new SampleRows();
  outOfOrder = 0;
  private limit = -Infinity;
  private handedOn = -Infinity;

  constructor(private readonly onChunk: (columns: SampleColumns, rows: number) => void) {}

  /** The caller says so after each sample. */
  added(): void {
    const { rows } = this;
    rows.end();
    if (rows.order[rows.count - 1] < this.handedOn) this.outOfOrder++;
    if (rows.count >= MOST_ROWS) this.flush(rows.count >> 1);
  }

  finishRound(): void {
    const { rows, limit } = this;
    this.limit = rows.latest;
    if (rows.count >= CHUNK_ROWS) this.flush(0, limit);
  }

  finish(): void {
    this.flush(this.rows.count);
  }

  /** The earliest, at least so many, and all up to a time. */
  private flush(least: number, until = -Infinity): void {
    const { rows } = this;
    const sequence = rows.isOrdered ? identity(rows.count) : sortByKey(rows.order, rows.count);
    let taken = least;
    for (; taken < rows.count && rows.order[sequence[taken]] <= until; taken++);
    if (taken === 0) return;
    this.handedOn = Math.max(this.handedOn, rows.order[sequence[taken - 1]]);
    for (let begin = 0; begin < taken; begin += CHUNK_ROWS) {
      const part = sequence.subarray(begin, Math.min(taken, begin + CHUNK_ROWS));
      this.onChunk(gather(rows.columns, part), part.length);
    }
    rows.keep(sequence.subarray(taken));
  }
}

function identity(count: number): Uint32Array {
  const sequence = new Uint32Array(count);
  for (let at = 0; at < count; at++) sequence[at] = at;
  return sequence;
}

/**
 * Rows by key, those of one key as they came: runs that are in order already, one for each CPU and round, are merged in
 * pairs.
 */
export function sortByKey(keys: Float64Array, count: number): Uint32Array {
  let from: Uint32Array = identity(count);
  let to: Uint32Array = new Uint32Array(count);
  let starts: number[] = [];
  for (let at = 0; at < count; at++) if (at === 0 || keys[at] < keys[at - 1]) starts.push(at);
  while (starts.length > 1) {
    const merged: number[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      const begin = starts[run];
      const middle = starts[run + 1] ?? count;
      const end = starts[run + 2] ?? count;
      merged.push(begin);
      let [left, right] = [begin, middle];
      for (let at = begin; at < end; at++) {
        const isLeft = left < middle && (right >= end || keys[from[left]] <= keys[from[right]]);
        to[at] = from[isLeft ? left++ : right++];
      }
    }
    [from, to] = [to, from];
    starts = merged;
  }
  return from;
}
