// A trace whose objects all stay where they are replays as it is: every number of both results is the same, whatever
// the threads, the machine, the schedule and the window.

import { closeSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { placeNatively } from '../../src/what-if/native-placing.js';
import { placeTrace } from '../../src/what-if/placed-trace.js';
import { nothingPlaced } from '../../src/what-if/placed-objects.js';
import { survey } from '../../src/what-if/survey.js';
import { describeResult } from '../engine/compare-results.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { atLength } from '../at-length.js';
import { inputOf, placedAll } from './placed-input.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(60, 600));

const comparison = new Comparison([]);
afterAll(() => comparison.close());

test(`${SEEDS} random cases give the same numbers if nothing moves`, async () => {
  const cases = new RandomCases();
  let references = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const { objects } = survey(input);
    const placed = nothingPlaced(objects.count);
    const stays = { placed, loops: null };
    const traces = [placeTrace(input, placed), ...(await placeNatively(input, [stays, stays])).map(placedAll)];
    try {
      const [before, ...after] = [input, ...traces.map((placed) => inputOf(input, placed))].map((one) =>
        describeResult(replayNativelyOn(one, [], 1)[0]).join('\n'),
      );
      for (const one of after) expect(one, `seed ${seed}`).toBe(before);
      references += replayNativelyOn(input, [], 1)[0].totals.references;
    } finally {
      for (const { descriptor } of traces) closeSync(descriptor);
    }
  }
  expect(references).toBeGreaterThan(1000);
});
