// Sums of times are rounded once, however large they get.

import { expect, it } from 'vitest';
import { ExactSum } from '../../src/sim/exact-sum.js';
import { RandomNumbers } from '../random/random-numbers.js';

it('is exact below 2^53, and beyond the nearest number to the sum, ties to even', () => {
  const sumOf = (...values: number[]): number => {
    const sum = new ExactSum();
    values.forEach((value) => sum.add(value));
    return sum.value;
  };
  const most = Number.MAX_SAFE_INTEGER;
  expect([
    sumOf(),
    sumOf(1, 2),
    sumOf(most),
    sumOf(most, 1),
    sumOf(most, 2),
    sumOf(most, 2, 1),
    sumOf(most, 4),
  ]).toEqual([0, 3, most, 2 ** 53, 2 ** 53, 2 ** 53 + 2, 2 ** 53 + 4]);
  // Added one by one as numbers, the ones would be lost.
  expect(sumOf(most, 1, ...new Array<number>(1000).fill(1))).toBe(2 ** 53 + 1000);
});

it('is the sum of any numbers, in whatever parts it is added', () => {
  const random = new RandomNumbers(7);
  const [whole, left, right] = [new ExactSum(), new ExactSum(), new ExactSum()];
  let expected = 0n;
  for (let step = 0; step < 500; step++) {
    const value = random.below(2 ** 30) * 2 ** random.below(23) + random.below(1000);
    expected += BigInt(value);
    whole.add(value);
    (random.chance(50) ? left : right).add(value);
  }
  left.addAll(right);
  expect([whole.value, left.value]).toEqual([Number(expected), Number(expected)]);
});
