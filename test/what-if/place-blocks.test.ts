// What an allocator is asked for, of random operations on blocks of which some lie in pools or have cold parts: what it
// is to move or free is there, nothing is there twice, and blocks of a pool do not lie on one another.

import { expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { ObjectLayout } from '../../src/what-if/object-layout.js';
import { ChangedOperations } from '../../src/what-if/place-blocks.js';
import { OperationKind, type Operations, type SurveyedObjects } from '../../src/what-if/survey-columns.js';
import { COLD, typeLayout } from '../../src/what-if/type-layout.js';
import { RandomNumbers } from '../random/random-numbers.js';

const BYTES = 48;
const whole = ObjectLayout.of(
  typeLayout(
    BYTES,
    64,
    Int32Array.from({ length: BYTES }, (_, byte) => byte),
    new Map(),
  ),
  BYTES,
  0,
);
const split = ObjectLayout.of(
  typeLayout(
    BYTES,
    24,
    Int32Array.from({ length: BYTES }, (_, byte) => (byte < 16 ? byte : COLD + byte - 16)),
    new Map(),
    [NO_INDEX, NO_INDEX],
    { coldBytes: 32, pointerAt: 16 },
  ),
  BYTES,
  0,
);

interface Row {
  readonly kind: number;
  readonly block: number;
  readonly other: number;
}

const rowsOf = ({ count, kind, block, other }: Operations): Row[] =>
  Array.from({ length: count }, (_, at) => ({ kind: kind[at], block: block[at], other: other[at] }));

function randomOperations(random: RandomNumbers, count: number): { operations: Operations; blocks: number } {
  const rows: Row[] = [];
  const live: number[] = [];
  let blocks = 0;
  const taken = (): number => live.splice(random.below(live.length), 1)[0];
  for (let at = 0; at < count; at++) {
    const what = live.length === 0 ? 0 : random.below(5);
    if (what >= 3) rows.push({ kind: OperationKind.free, block: taken(), other: 0 });
    else {
      const kind = [OperationKind.malloc, OperationKind.realloc, OperationKind.aligned][what];
      rows.push({ kind, block: blocks, other: kind === OperationKind.realloc ? taken() : 32 });
      live.push(blocks++);
    }
  }
  const column = (of: (row: Row) => number): number[] => rows.map(of);
  return {
    blocks,
    operations: {
      count,
      kind: Uint8Array.from(column(({ kind }) => kind)),
      thread: new Uint32Array(count),
      block: Uint32Array.from(column(({ block }) => block)),
      size: Float64Array.from(column(({ kind }) => (kind === OperationKind.free ? 0 : BYTES))),
      other: Float64Array.from(column(({ other }) => other)),
    },
  };
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))('seed %i', (seed) => {
  const random = new RandomNumbers(seed);
  const { operations, blocks } = randomOperations(random, 300);
  const ways = Array.from({ length: blocks }, () => random.below(4));
  const aligns = Array.from({ length: blocks }, () => [1, 64][random.below(2)]);
  const objects = { count: blocks, sizeBytes: new Float64Array(blocks).fill(BYTES) } as SurveyedObjects;
  const layoutOf = (block: number): ObjectLayout | null => [null, whole, split, split][ways[block]];
  const poolOf = (block: number): number => (ways[block] === 3 ? 7 : -1);
  const request = { layoutOf, poolOf, ofRun: { name: 'glibc' }, alignOf: (block: number) => aligns[block] };
  const changed = new ChangedOperations(operations, objects, request);

  const there = new Set<number>();
  for (const { kind, block, other } of rowsOf(changed.columns())) {
    if (kind === OperationKind.realloc) expect(there.delete(other), `${other} is moved`).toBe(true);
    if (kind === OperationKind.free) expect(there.delete(block), `${block} is freed`).toBe(true);
    else expect(there.has(block), `${block} is made`).toBe(false);
    if (kind !== OperationKind.free) there.add(block);
  }
  const live = new Set<number>();
  for (const { kind, block, other } of rowsOf(operations)) {
    if (kind === OperationKind.realloc) live.delete(other);
    if (kind === OperationKind.free) live.delete(block);
    else {
      const at = changed.pooled.get(block);
      const overlaps = (one: number): boolean => {
        const place = changed.pooled.get(one);
        return at !== undefined && place?.block === at.block && Math.abs(place.offset - at.offset) < 24;
      };
      expect([...live].filter(overlaps)).toEqual([]);
      live.add(block);
    }
  }
  const expected = [...live].flatMap((block) => [
    ...(poolOf(block) < 0 ? [block] : []),
    ...(ways[block] >= 2 ? [blocks + block] : []),
  ]);
  expect([...there].filter((block) => block < blocks * 2).sort((a, b) => a - b)).toEqual(
    expected.sort((a, b) => a - b),
  );
});
