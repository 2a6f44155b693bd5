// Samples of several buffers in one order of time, with no more of them held back than two rounds.

import { expect, test } from 'vitest';
import { sortByKey, TimeOrder } from '../../src/hardware/import/time-order.js';
import { RandomNumbers } from '../random/random-numbers.js';

/**
 * Times as they come, with `R` where a round is finished; the times as they are handed on, and how many came too late.
 */
function order(steps: readonly (bigint | 'R')[]): { times: bigint[]; outOfOrder: number } {
  const times: bigint[] = [];
  const sorted = new TimeOrder((columns, rows) => times.push(...columns.time.subarray(0, rows)));
  for (const step of steps) {
    if (step === 'R') sorted.finishRound();
    else {
      const row = sorted.rows.begin(); // may make new columns
      sorted.rows.columns.time[row] = step;
      sorted.added();
    }
  }
  sorted.finish();
  return { times, outOfOrder: sorted.outOfOrder };
}

test('keys are sorted as they came where they are equal', () => {
  const random = new RandomNumbers(3);
  for (let round = 0; round < 200; round++) {
    const keys = Float64Array.from({ length: random.below(300) }, () => random.below(50));
    const expected = [...keys.keys()].sort((a, b) => keys[a] - keys[b] || a - b);
    expect([...sortByKey(keys, keys.length)]).toEqual(expected);
  }
});

test('two buffers that take turns', () => {
  expect(order([10n, 30n, 50n, 20n, 40n, 'R', 60n, 55n, 'R'])).toEqual({
    times: [10n, 20n, 30n, 40n, 50n, 55n, 60n],
    outOfOrder: 0,
  });
});

test('no samples, and times beyond 2^63', () => {
  expect(order([])).toEqual({ times: [], outOfOrder: 0 });
  const late = (1n << 63n) + 5n;
  expect(order([late + 1n, late, 'R', late + 2n])).toEqual({ times: [late, late + 1n, late + 2n], outOfOrder: 0 });
});

test('long rounds are handed on two rounds later, and what comes later still is counted', () => {
  const round = (from: bigint): bigint[] => Array.from({ length: 70_000 }, (_, index) => from + BigInt(index ^ 1));
  const steps = [...round(0n), 'R' as const, ...round(100_000n), 'R' as const, 5n, ...round(200_000n), 'R' as const];
  const { times, outOfOrder } = order(steps);
  expect(times.length).toBe(210_001);
  expect(outOfOrder).toBe(1);
  const rest = times.toSpliced(times.lastIndexOf(5n), 1);
  expect(rest.every((time, index) => index === 0 || rest[index - 1] <= time)).toBe(true);
});

test('without rounds no more than half a million are held', () => {
  const steps = Array.from({ length: 600_000 }, (_, index) => BigInt(index % 2 === 0 ? index : index - 1));
  const { times, outOfOrder } = order(steps);
  expect(times.length).toBe(600_000);
  expect(outOfOrder).toBe(0);
  expect(times.every((time, index) => index === 0 || times[index - 1] <= time)).toBe(true);
});
