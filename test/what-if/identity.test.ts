// A trace whose objects all stay where they are replays as it is: every number of both results is the same, whatever
// the threads, the machine, the schedule and the window.

import { afterAll, expect, test } from 'vitest';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { placeTrace } from '../../src/what-if/placed-trace.js';
import { describeResult } from '../engine/compare-results.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(60, 600));

const comparison = new Comparison([]);
afterAll(() => comparison.close());

test(`${SEEDS} random cases give the same numbers if nothing moves`, () => {
  const cases = new RandomCases();
  let references = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const placed = placeTrace(
      input,
      () => undefined,
      (catalog) => catalog,
    );
    try {
      const [before, after] = [input, { ...input, ...placed }].map((one) => replayNativelyOn(one, [], 1)[0]);
      expect(describeResult(after).join('\n'), `seed ${seed}`).toBe(describeResult(before).join('\n'));
      references += before.totals.references;
    } finally {
      placed.close();
    }
  }
  expect(references).toBeGreaterThan(1000);
});
