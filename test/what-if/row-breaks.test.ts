// Where rows of iterations begin, and whether iterations may change places: of drawn steps.

import { expect, test } from 'vitest';
import { brokenDependence } from '../../src/what-if/dependences.js';
import type { HeldStep } from '../../src/what-if/held-step.js';
import { RowBreaks } from '../../src/what-if/row-breaks.js';

interface Drawn {
  readonly record?: number;
  readonly loads?: readonly number[];
  readonly stores?: readonly number[];
  readonly sizeBytes?: number;
}

function step({ record = 1, loads = [], stores = [], sizeBytes = 8 }: Drawn): HeldStep {
  const access = (address: number, isStore: boolean) => ({ slot: isStore ? 2 : 1, address, sizeBytes, isStore });
  const accesses = [...loads.map((one) => access(one, false)), ...stores.map((one) => access(one, true))];
  return { record, accesses, placed: record, lo: [], hi: [] };
}

function rowsOf(steps: readonly HeldStep[]): number[] {
  const breaks = new RowBreaks();
  for (const [at, one] of steps.entries()) breaks.extend(at, one, at === 0 ? null : steps[at - 1]);
  return breaks.rows(steps.length);
}

/** Rows by columns, of which each goes on where a row ends. */
function matrix(rows: number, columns: number, record = 1): HeldStep[] {
  return Array.from({ length: rows * columns }, (_, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    return step({ record, loads: [0x1000 + index * 8], stores: [0x9000 + column * 800 + row * 8] });
  });
}

test('a row ends where strides break', () => {
  expect(rowsOf(matrix(4, 5))).toEqual([0, 5, 10, 15]);
});

test('what is not unrolled belongs to the row before', () => {
  const row = (at: number): HeldStep[] => [
    step({ loads: [at] }),
    step({ loads: [at + 32] }),
    step({ record: 2, loads: [at + 64] }),
  ];
  expect(rowsOf([...row(0x1000), ...row(0x2000), ...row(0x3000)])).toEqual([0, 3, 6]);
});

test('a loop that comes as several copies has the rows of each', () => {
  expect(rowsOf([...matrix(3, 4, 1), ...matrix(3, 4, 2)])).toEqual([0, 4, 8, 12, 16, 20]);
});

test('rows of which excerpts have a part end there', () => {
  expect(rowsOf(matrix(6, 5).slice(2, -1))).toEqual([0, 3, 8, 13, 18, 23]);
});

test('steps at random are one row', () => {
  const addresses = [10, 7, 400, 20, 30, 45, 61, 78, 1000, 3, 2, 90];
  expect(rowsOf(addresses.map((at) => step({ loads: [0x1000 + at * 64] })))).toEqual([0]);
});

test.each<[string, Drawn[], number | null]>([
  ['loads of one place', [{ loads: [64] }, { loads: [64] }], null],
  ['stores to two places', [{ stores: [64] }, { stores: [72] }], null],
  ['a load of what was stored', [{ stores: [64] }, { loads: [64] }], 1],
  ['a store to what was loaded', [{ loads: [64] }, { stores: [64] }], 2],
  ['a store to what was stored', [{ stores: [64] }, { stores: [64] }], 2],
  ['a load of a part of it', [{ stores: [64] }, { loads: [68], sizeBytes: 4 }], 1],
  [
    'a load of what lies behind it',
    [
      { stores: [64], sizeBytes: 4 },
      { loads: [68], sizeBytes: 4 },
    ],
    null,
  ],
  [
    'a wide load across it',
    [
      { stores: [64], sizeBytes: 4 },
      { loads: [56], sizeBytes: 16 },
    ],
    1,
  ],
])('%s, the other way round', (_, steps, broken) => {
  const all = steps.map(step);
  expect(brokenDependence(all, Uint32Array.of(1, 0))).toBe(broken);
  expect(brokenDependence(all, Uint32Array.of(0, 1))).toBeNull();
});
