// Rows of a replay are split by time and thread, in their order, into blocks that are not too large.

import { expect, test } from 'vitest';
import { BLOCK_ROWS, Partitions, type Block } from '../../src/sql/partitions.js';
import type { PackedBatch } from '../../src/stream/read-references.js';

const AT = { time: 0, thread: 1 };

/** Time, thread, number; numbers go on from `first`. */
function batchOf(rows: readonly (readonly [time: number, thread: number])[], first: number): PackedBatch {
  const of = (values: PackedBatch['columns'][number]['values']) => ({ values, validity: null });
  return {
    count: rows.length,
    columns: [
      of(Float64Array.from(rows, ([time]) => time)),
      of(Uint32Array.from(rows, ([, thread]) => thread)),
      of(Float64Array.from(rows, (_, index) => first + index)),
    ],
  };
}

function blocksOf(batches: readonly PackedBatch[], chunk: number): Block[] {
  const partitions = new Partitions(AT, chunk);
  return [...batches.flatMap((batch) => [...partitions.take(batch)]), ...partitions.finish()];
}

const numbersIn = ({ batches }: Block): number[] =>
  batches.flatMap(({ columns }) => [...columns[2].values].map(Number));
const said = (blocks: readonly Block[]) =>
  blocks.map((block) => `${block.chunk}.${block.thread}: ${numbersIn(block).join(' ')}`);

test('by time, and by thread', () => {
  const batches = [
    batchOf(
      [
        [0, 1],
        [3, 1],
        [9, 1],
      ],
      0,
    ),
    batchOf(
      [
        [9, 2],
        [9, 1],
        [9, 2],
        [10, 2],
        [19, 1],
      ],
      3,
    ),
    batchOf(
      [
        [30, 1],
        [41, 0],
      ],
      8,
    ),
    batchOf([], 10),
  ];
  expect(said(blocksOf(batches, 10))).toEqual(['0.1: 0 1 2 4', '0.2: 3 5', '1.2: 6', '1.1: 7', '3.1: 8', '4.0: 9']);
});

test('one batch goes on as it is', () => {
  const batch = batchOf(
    [
      [0, 5],
      [1, 5],
    ],
    0,
  );
  expect(blocksOf([batch], 10)[0].batches).toEqual([batch]);
});

test('a block ends before it has too many rows', () => {
  const size = BLOCK_ROWS / 4 + 1;
  const batches = Array.from({ length: 7 }, (_, index) =>
    batchOf(
      Array.from({ length: size }, () => [0, 0] as const),
      index * size,
    ),
  );
  const blocks = blocksOf(batches, 10);
  expect(blocks.map(({ rows }) => rows)).toEqual([3 * size, 3 * size, size]);
  expect(blocks.flatMap(numbersIn)).toEqual(Array.from({ length: 7 * size }, (_, index) => index));
});

test('so do the blocks of many threads', () => {
  const threads = 16;
  const count = BLOCK_ROWS / 2;
  const batches = Array.from({ length: 10 }, (_, index) =>
    batchOf(
      Array.from({ length: count }, (_row, row) => [0, row % threads] as const),
      index * count,
    ),
  );
  const partitions = new Partitions(AT, 10);
  let open = 0;
  const rows = new Map<number, number>();
  const see = (block: Block): void => {
    open -= block.rows;
    rows.set(block.thread, (rows.get(block.thread) ?? 0) + block.rows);
  };
  for (const batch of batches) {
    for (const block of partitions.take(batch)) see(block);
    open += batch.count;
    expect(open).toBeLessThanOrEqual(4 * BLOCK_ROWS);
  }
  for (const block of partitions.finish()) see(block);
  expect([...rows.values()]).toEqual(Array(threads).fill((10 * count) / threads));
});
