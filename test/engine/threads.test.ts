// Tables of threads and locks, on random runs that are long enough for threads to wait for each other: both engines
// give equal numbers, with any number of workers, and locks add up.

import { expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { differences } from './equal-results.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? atLength(509, 501));
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(2, 12));
const sum = (column: ArrayLike<number>): number => Array.from(column).reduce((total, value) => total + value, 0);

function inputOf(seed: number): ReplayInput {
  const machine = seed % 3 === 0 ? randomWholeMachine(seed) : randomMachine(seed);
  const schedule = seed % 4 === 0 ? ({ kind: 'random', seed } as const) : ({ kind: 'logical' } as const);
  return {
    ...replayInput(openTrace(traceFile(randomTrace(seed, { actions: 250 }))), machine, schedule),
    sharedVariables: { mostCounts: seed % 5 === 0 ? 60 : 100_000 },
  };
}

/** Checks that the rows of each table of parts add up to the row that they are parts of. */
function requireSums({ locks, lockThreads, lockCallers, lockData, totals }: ReplayResult): void {
  for (let lock = 0; lock < locks.count; lock++) {
    const partsOf = (table: { readonly lock: Uint32Array; readonly acquisitions: Float64Array }): number =>
      sum(table.acquisitions.filter((_, row) => table.lock[row] === lock));
    expect([partsOf(lockThreads), partsOf(lockCallers)]).toEqual([locks.acquisitions[lock], locks.acquisitions[lock]]);
    expect(locks.waits[lock]).toBeLessThanOrEqual(locks.acquisitions[lock]);
    expect(locks.longestWait[lock]).toBeLessThanOrEqual(locks.wait[lock]);
    expect(locks.longestHold[lock]).toBeLessThanOrEqual(locks.hold[lock]);
  }
  expect(sum(lockData.references)).toBeLessThanOrEqual(totals.references);
  expect(sum(lockData.misses)).toBeLessThanOrEqual(totals.misses[0]);
  expect(sum(lockData.trueSharing) + sum(lockData.falseSharing)).toBeLessThanOrEqual(sum(lockData.misses));
}

test(`${SEEDS} long runs with locks give equal numbers from both engines, with 1, 2 and 4 workers`, () => {
  const met = { waits: 0, holds: 0, unreleased: 0, sharing: 0, inObjects: 0, kept: 0, full: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = inputOf(seed);
    const expected = simulate(input);
    for (const workers of [1, 2, 4])
      expect(
        differences(expected, replayNatively(input, workers), 'ts', `native, ${workers} workers`).slice(0, 8),
        `seed ${seed}`,
      ).toEqual([]);
    requireSums(expected);
    const { locks, lockData, labels, sharedAddresses } = expected;
    met.waits += sum(locks.waits);
    met.holds += sum(locks.holds);
    met.unreleased += sum(locks.unreleased);
    met.sharing += sum(lockData.trueSharing) + sum(lockData.falseSharing);
    met.inObjects += locks.label.filter((label) => labels.kind[label] !== 2).length;
    met.kept += sharedAddresses!.kept;
    met.full += Number(sharedAddresses!.isFull);
  }
  expect(Object.entries(met).filter(([, times]) => times === 0)).toEqual([]);
});
