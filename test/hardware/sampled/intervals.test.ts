// Stage: test. Intervals against published values, and against draws from what is known: they hold the truth as often
// as they say.

import { expect, test } from 'vitest';
import {
  countInterval,
  meanInterval,
  poissonHigh,
  poissonLow,
  quantileInterval,
  shareInterval,
  varianceOfMean,
  type Interval,
} from '../../../src/base/intervals.js';
import { Draws } from '../../../src/order/draws.js';

test.each([
  [0, 0, 3.6889],
  [1, 0.0253, 5.5716],
  [2, 0.2422, 7.2247],
  [5, 1.6235, 11.6683],
  [10, 4.7954, 18.3904],
  [20, 12.2165, 30.8884],
  [29, 19.4218, 41.6488],
])('Garwood (1936): of %d events the mean is %d to %d', (count, low, high) => {
  expect([poissonLow(count), poissonHigh(count)].map((bound) => bound.toFixed(4))).toEqual([
    low.toFixed(4),
    high.toFixed(4),
  ]);
});

test(
  'a count of samples of one period: Garwood below 30 samples, normal from there on, a bound where there was ' + 'none',
  () => {
    const bounds = ([low, high]: Interval): string[] => [low.toFixed(1), high.toFixed(1)];
    expect(bounds(countInterval(5000, 5 * 1000 ** 2, 1000))).toEqual(['1623.5', '11668.3']);
    expect(bounds(countInterval(100_000, 100 * 1000 ** 2, 1000))).toEqual(['80400.4', '119599.6']);
    expect(bounds(countInterval(0, 0, 1000))).toEqual(['0.0', '3688.9']);
    // Two samples of unequal periods count as less than two: 4000^2 / 10^7 = 1.6.
    expect(bounds(countInterval(4000, 1000 ** 2 + 3000 ** 2, 3000))).toEqual([
      (2500 * poissonLow(1.6)).toFixed(1),
      (2500 * poissonHigh(1.6)).toFixed(1),
    ]);
  },
);

test('Wilson (1927): 10 of 100, none of 10, all of 10, nothing drawn', () => {
  expect(shareInterval(0.1, 100)!.map((bound) => bound.toFixed(4))).toEqual(['0.0552', '0.1744']);
  expect(shareInterval(0, 10)!.map((bound) => bound.toFixed(4))).toEqual(['0.0000', '0.2775']);
  expect(shareInterval(1, 10)).toEqual([expect.closeTo(0.7225, 4), 1]);
  expect(shareInterval(0.5, 100)!.map((bound) => bound.toFixed(4))).toEqual(['0.4038', '0.5962']);
  expect(shareInterval(0.2, 50)!.map((bound) => bound.toFixed(4))).toEqual(['0.1124', '0.3304']);
  expect(shareInterval(0, 0)).toBeNull();
});

test('a mean of equal weights is what everybody calculates; of one sample nobody knows', () => {
  const values = [4, 4, 200, 300];
  const sum = (of: (value: number) => number): number => values.reduce((total, value) => total + of(value), 0);
  const mean = sum((value) => value) / 4;
  const variance = varianceOfMean({
    mean,
    squares: sum((value) => value ** 2),
    products: sum((value) => value),
    divisorSquares: 4,
    divisor: 4,
    samples: 4,
  });
  expect(variance).toBeCloseTo(sum((value) => (value - mean) ** 2) / 3 / 4, 9);
  expect(meanInterval(mean, variance, 4)![1]).toBeCloseTo(mean + 1.959964 * Math.sqrt(variance), 4);
  expect(meanInterval(5, 0, 1)).toBeNull();
});

test('quantiles of what was repeated', () =>
  expect(quantileInterval(Array.from({ length: 41 }, (_, at) => at))).toEqual([1, 39]));

const REPETITIONS = 2000;

/** In how many of 2,000 repetitions the interval holds the truth, in percent. */
function coverage(truth: number, draw: (draws: Draws) => Interval | null): number {
  const draws = new Draws(19);
  let held = 0;
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const [low, high] = draw(draws)!;
    if (low <= truth && truth <= high) held++;
  }
  return (100 * held) / REPETITIONS;
}

const uniform = (draws: Draws): number => draws.below(1 << 30) / (1 << 30);

/** Events of a Poisson process of this mean. */
function poisson(draws: Draws, mean: number): number {
  let count = 0;
  for (let left = Math.exp(-mean), product = uniform(draws); product > left; product *= uniform(draws)) count++;
  return count;
}

test.each([
  [30, 93, 97],
  [60, 93, 97],
  [150, 93, 97],
  [3, 95, 99.9],
  [10, 95, 99],
])(
  'counts of %d samples on average: the interval holds the truth in %d to %d percent of repetitions',
  (mean, least, most) => {
    const held = coverage(mean * 1000, (draws) => {
      const samples = poisson(draws, mean);
      return countInterval(samples * 1000, samples * 1000 ** 2, 1000);
    });
    expect(held).toBeGreaterThanOrEqual(least);
    expect(held).toBeLessThanOrEqual(most);
  },
);

test.each([
  [0.5, 200],
  [0.1, 500],
  [0.03, 1000],
])('a share of %d of %d samples, likewise', (share, samples) => {
  const held = coverage(share, (draws) => {
    let met = 0;
    for (let sample = 0; sample < samples; sample++) if (uniform(draws) < share) met++;
    return shareInterval(met / samples, samples);
  });
  expect(held).toBeGreaterThanOrEqual(93);
  expect(held).toBeLessThanOrEqual(97);
});

test('mean latency of samples of two periods, likewise', () => {
  // Loads stand for 1000 each and take 4 or 200 cycles, stores for 3000 and take 10.
  const truth = (1000 * 200 * (0.8 * 4 + 0.2 * 200) + 3000 * 100 * 10) / (1000 * 200 + 3000 * 100);
  const held = coverage(truth, (draws) => {
    const [loads, stores] = [poisson(draws, 200), poisson(draws, 100)];
    const latencies = Array.from({ length: loads }, () => (uniform(draws) < 0.2 ? 200 : 4));
    const all = [...latencies.map((latency) => [1000, latency]), ...Array.from({ length: stores }, () => [3000, 10])];
    const sum = (of: (period: number, latency: number) => number): number =>
      all.reduce((total, [period, latency]) => total + of(period, latency), 0);
    const divisor = sum((period) => period);
    const mean = sum((period, latency) => period * latency) / divisor;
    return meanInterval(
      mean,
      varianceOfMean({
        mean,
        squares: sum((period, latency) => (period * latency) ** 2),
        products: sum((period, latency) => period ** 2 * latency),
        divisorSquares: sum((period) => period ** 2),
        divisor,
        samples: all.length,
      }),
      all.length,
    );
  });
  expect(held).toBeGreaterThanOrEqual(93);
  expect(held).toBeLessThanOrEqual(97);
});
