// Intervals, verdicts and distances by hand, and how often they are wrong by seed.

import { expect, test } from 'vitest';
import { Draws } from '../../../src/order/draws.js';
import {
  chanceDistance,
  effectiveSamples,
  enoughSamples,
  isOutside,
  isTooWide,
  shareDistance,
} from '../../../src/hardware/validate/share-statistics.js';

test('weights: as many equal samples as have the same variance', () => {
  const of = (samples: number, weight: number, weightSquares: number): number =>
    effectiveSamples({ samples, weight, weightSquares });
  expect(of(4, 4 * 10, 4 * 10 ** 2)).toBe(4);
  expect(of(2, 1 + 9, 1 + 81)).toBeCloseTo(100 / 82, 12);
  expect(of(0, 0, 0)).toBe(0);
});

test('squares that can not be: never more samples than there are, and none of what is no number', () => {
  expect(
    [NaN, -1, Infinity, 1e-300, 0].map((weightSquares) => effectiveSamples({ samples: 7, weight: 10, weightSquares })),
  ).toEqual([0, 0, 0, 7, 7]);
});

test('outside: the divergence of two coins, and of the impossible', () => {
  // 0.6·ln(0.6/0.5) + 0.4·ln(0.4/0.5) = 0.020136; ln(2/0.05) = 3.6889: from 184 samples on.
  expect([183, 184].map((samples) => isOutside(0.6, 0.5, samples, 1))).toEqual([false, true]);
  // Ten at once: ln(20/0.05) = 5.9915, 298.
  expect([297, 298].map((samples) => isOutside(0.6, 0.5, samples, 10))).toEqual([false, true]);
  expect(isOutside(0.01, 0, 100, 1)).toBe(true);
  expect(isOutside(0, 0, 100, 1)).toBe(false);
});

test('enough: one fewer is too few', () => {
  for (const [share, tolerance] of [
    [0.5, 0.02],
    [0.01, 0.02],
    [0, 0.005],
    [1, 0.1],
  ]) {
    const enough = enoughSamples(share, tolerance);
    expect([isTooWide(share, enough - 1, tolerance), isTooWide(share, enough, tolerance)]).toEqual([true, false]);
  }
  // z²·p(1-p)/tolerance² - z², where Wilson's interval is the narrower one: 2401 - 3.84.
  expect(enoughSamples(0.5, 0.02)).toBe(2398);
});

test('distance', () =>
  expect(
    shareDistance([
      [0.6, 0.7],
      [0.4, 0.2],
      [0, 0.1],
    ]),
  ).toBeCloseTo(0.2, 12));

test('distance by chance: by hand, and of draws', () => {
  // Two coins thrown once: always half off each; twice: half of the time not at all, half of the time by half.
  expect(chanceDistance([0.5, 0.5], 1)).toBeCloseTo(0.5, 12);
  expect(chanceDistance([0.5, 0.5], 2)).toBeCloseTo(0.25, 12);
  const exact = [0.5, 0.3, 0.15, 0.04, 0.01];
  for (const samples of [10, 300, 10_000]) {
    let sum = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const counts = draw(exact, samples, seed);
      sum += shareDistance(exact.map((share, at) => [share, counts[at] / samples])) / 200;
    }
    expect(sum / chanceDistance(exact, samples)).toBeGreaterThan(0.9);
    expect(sum / chanceDistance(exact, samples)).toBeLessThan(1.1);
  }
});

test('of draws by the exact shares at most one in twenty is called false, rare types among them', () => {
  const exact = [
    ...Array.from({ length: 8 }, (_, at) => (0.9 * 0.5 ** (at + 1)) / (1 - 0.5 ** 8)),
    ...Array.from({ length: 200 }, () => 0.1 / 200),
  ];
  for (const samples of [5, 100, 5000]) {
    let mistaken = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const counts = draw(exact, samples, seed);
      if (exact.some((share, at) => isOutside(counts[at] / samples, share, samples, exact.length))) mistaken++;
    }
    expect(mistaken).toBeLessThanOrEqual(5);
  }
});

function draw(shares: readonly number[], samples: number, seed: number): number[] {
  const draws = new Draws(seed);
  const counts = shares.map(() => 0);
  for (let sample = 0; sample < samples; sample++) {
    let at = draws.below(1 << 30) / (1 << 30);
    let type = 0;
    while (type < shares.length - 1 && at >= shares[type]) at -= shares[type++];
    counts[type]++;
  }
  return counts;
}
