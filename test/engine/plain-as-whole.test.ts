// A plain machine goes through fast caches (engine/caches/lone_core.h, hierarchy.h). Here seeded random runs go through
// them and, forced, through the whole hierarchy, which any other machine needs. Every number of both results is the
// same.

import { afterAll, expect, test } from 'vitest';
import { isPlainMachine } from '../../src/contract/complete-machine.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { addonInput, addonMachine, loadAddon } from '../../src/replay/native-engine.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { randomMachine } from '../random/random-trace.js';
import { describeResult } from './compare-results.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(50, 400));

const comparison = new Comparison([]);
afterAll(() => comparison.close());

function replayThrough(input: ReplayInput, isPlain: boolean): ReplayResult {
  const machine = { ...addonMachine(input.machine), isPlain };
  return loadAddon().replay({ ...addonInput(input, 1), machine, otherMachines: [] })[0];
}

/** Counted by the whole hierarchy alone; of a plain machine nothing. */
const WHOLE_ONLY = [
  'total backInvalidations=0',
  'total prefetchIssued=0,0',
  'total prefetchUseful=0,0',
  'total prefetchUseless=0,0',
  'total tlbMisses=0,0',
];

test(`${SEEDS} random cases give the same numbers through the fast hierarchy and through the whole one`, () => {
  const cases = new RandomCases(randomMachine);
  const cores = new Set<number>();
  let misses = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    expect(isPlainMachine(input.machine), `seed ${seed}`).toBe(true);
    const [fast, whole] = [true, false].map((isPlain) => replayThrough(input, isPlain));
    const rows = describeResult(whole);
    expect(rows.filter((row) => WHOLE_ONLY.includes(row)).sort(), `seed ${seed}`).toEqual(WHOLE_ONLY);
    expect(rows.filter((row) => !WHOLE_ONLY.includes(row)).join('\n'), `seed ${seed}`).toBe(
      describeResult(fast).join('\n'),
    );
    cores.add(input.machine.cores);
    misses += fast.totals.misses[2];
  }
  // One core and several are ways of their own through the fast hierarchy.
  expect(cores.has(1) && cores.size > 1).toBe(true);
  expect(misses).toBeGreaterThan(1000);
});
