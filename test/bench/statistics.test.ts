// Stage: test. The arithmetic behind the benchmark's table.
import { expect, test } from 'vitest';
import { formatCount, formatShare, geometricMean, median, seededDraw } from '../../bench/statistics.js';

test('the median is the middle, or the mean of the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test('the geometric mean of 1, 10 and 100 is 10', () => {
  expect(geometricMean([1, 10, 100])).toBeCloseTo(10, 12);
  expect(() => geometricMean([])).toThrow(RangeError);
});

test('counts keep three digits and shares their denominator', () => {
  expect(formatCount(1_234_567)).toBe('1.23 M');
  expect(formatCount(999)).toBe('999');
  expect(formatShare(1, 4)).toBe('25.0 % of 4');
  expect(formatShare(0, 0)).toBe('none of 0');
});

test('a seed settles the draw', () => {
  const [first, again, other] = [seededDraw(7), seededDraw(7), seededDraw(8)];
  const drawn = Array.from({ length: 100 }, first);
  expect(Array.from({ length: 100 }, again)).toEqual(drawn);
  expect(Array.from({ length: 100 }, other)).not.toEqual(drawn);
  expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
});
