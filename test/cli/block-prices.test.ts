// Stage: test. How far llvm-mca's predictions hold for blocks that have no measurement.
import { expect, test } from 'vitest';
import { factorOf, type StretchPrice } from '../../src/cli/block-prices.js';

const block = (executions: number, measured: number | null, predicted: number | null) =>
  [{ executions }, { measured, predicted, throughput: null }] as readonly [{ executions: number }, StretchPrice];

test('what blocks took of what was predicted of them, by how often they ran', () => {
  expect(factorOf(new Map([block(10, 3, 4), block(30, 2, 4), block(5, null, 8), block(7, 9, null)]))).toBe(90 / 160);
});

test('a few measured blocks say nothing of all others', () => {
  expect(factorOf(new Map([block(9, 9, 1), block(91, null, 1)]))).toBe(1);
  expect(factorOf(new Map([block(10, 9, 1), block(90, null, 1)]))).toBe(9);
});

test('without measurements or predictions', () => {
  expect(factorOf(new Map())).toBe(1);
  expect(factorOf(new Map([block(9, null, 2)]))).toBe(1);
});
