// Stage: stream -> dataset. The rows of a replay as blocks, each of one stretch of time and one thread, in their order.

import type { PackedBatch } from '../stream/read-references.js';
import { chosenRows } from '../stream/packed-filter.js';

/** Rows of a block, at most, if no batch has more: a row group, which a worker takes whole. */
export const BLOCK_ROWS = 1 << 19;
/** Rows of all blocks that are not full yet, at most. */
const MOST_OPEN = 4 * BLOCK_ROWS;

export interface Block {
  /** Of time. */
  readonly chunk: number;
  readonly thread: number;
  /** Not empty. */
  readonly batches: PackedBatch[];
  rows: number;
}

/** Where the columns that say it stand in batches. */
export interface PartitionColumns {
  readonly time: number;
  readonly thread: number;
}

export class Partitions {
  readonly #open = new Map<string, Block>();
  #rows = 0;

  constructor(
    private readonly at: PartitionColumns,
    private readonly chunkInstructions: number,
  ) {}

  /** Takes the next rows; yields blocks that are over. */
  *take(batch: PackedBatch): Generator<Block> {
    if (batch.count === 0) return;
    for (const { chunk, thread, rows } of this.#parts(batch)) {
      // Time only grows.
      for (const block of this.#open.values()) if (block.chunk !== chunk) yield this.#close(block);
      yield* this.#add(chunk, thread, rows === null ? batch : chosenRows(batch, rows));
    }
  }

  *finish(): Generator<Block> {
    for (const block of this.#open.values()) yield this.#close(block);
  }

  *#add(chunk: number, thread: number, batch: PackedBatch): Generator<Block> {
    const key = keyOf({ chunk, thread });
    const before = this.#open.get(key);
    if (before !== undefined && before.rows + batch.count > BLOCK_ROWS) yield this.#close(before);
    const block = this.#open.get(key) ?? { chunk, thread, batches: [], rows: 0 };
    this.#open.set(key, block);
    block.batches.push(batch);
    block.rows += batch.count;
    this.#rows += batch.count;
    if (this.#rows <= MOST_OPEN) return;
    const blocks = [...this.#open.values()];
    yield this.#close(blocks.reduce((a, b) => (a.rows < b.rows ? b : a)));
  }

  #close(block: Block): Block {
    this.#open.delete(keyOf(block));
    this.#rows -= block.rows;
    return block;
  }

  /** In the order of time; `rows`: null for all. */
  #parts({ count, columns }: PackedBatch): { chunk: number; thread: number; rows: number[] | null }[] {
    const times = columns[this.at.time].values as Float64Array;
    const threads = columns[this.at.thread].values as Uint32Array;
    const chunkOf = (row: number): number => Math.floor(times[row] / this.chunkInstructions);
    const [chunk, thread] = [chunkOf(0), threads[0]];
    if (chunkOf(count - 1) === chunk && threads.every((other) => other === thread))
      return [{ chunk, thread, rows: null }];
    const parts = new Map<string, { chunk: number; thread: number; rows: number[] }>();
    let part = { chunk: NaN, thread: NaN, rows: [] as number[] }; // that of the row before
    for (let row = 0; row < count; row++) {
      const own = { chunk: chunkOf(row), thread: threads[row] };
      if (own.chunk !== part.chunk || own.thread !== part.thread) {
        part = parts.get(keyOf(own)) ?? { ...own, rows: [] };
        parts.set(keyOf(own), part);
      }
      part.rows.push(row);
    }
    return [...parts.values()].sort((a, b) => a.chunk - b.chunk);
  }
}

function keyOf({ chunk, thread }: Pick<Block, 'chunk' | 'thread'>): string {
  return `${chunk} ${thread}`;
}
