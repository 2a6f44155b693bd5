// The native engine counts by CachePerf's rule as the specification does, on random runs; windows are short there.

import { afterAll, expect, test } from 'vitest';
import { CACHEPERF_COLUMNS } from '../../src/what-if/cacheperf-columns.js';
import { cacheperfWalk } from '../../src/what-if/cacheperf-walk.js';
import { cacheperfNatively } from '../../src/what-if/native-cacheperf.js';
import { atLength } from '../at-length.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(150, 1500));

const comparison = new Comparison([]);
afterAll(() => comparison.close());

test(`${SEEDS} random cases`, async () => {
  const cases = new RandomCases();
  const met = new Map(CACHEPERF_COLUMNS.map((name) => [name, 0]));
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const random = new RandomNumbers(seed);
    const rows = random.between(1, 3);
    const window = random.between(1, 6);
    const request = {
      rowOfSlot: Uint32Array.from(input.catalog.slots.kind, () => random.below(rows + 1)),
      rowOfVariable: Uint32Array.from(input.catalog.variables.type, () => random.below(rows + 1)),
      rows,
      lineBytes: input.machine.lineBytes,
      sets: random.between(1, 4),
      ways: random.between(1, 3),
      window,
      crowd: random.between(1, window),
    };
    const counts = cacheperfWalk(input, request);
    expect(await cacheperfNatively(input, request), `seed ${seed}`).toEqual(counts);
    for (const name of CACHEPERF_COLUMNS) met.set(name, met.get(name)! + counts[name].reduce((a, b) => a + b, 0));
  }
  if (SEEDS >= 100) expect([...met].filter(([, count]) => count === 0)).toEqual([]);
});
