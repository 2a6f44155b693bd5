// The native engine and the TypeScript simulator give equal numbers on seeded random traces, machines and schedules.

import { describe, expect, test } from 'vitest';
import type { Machine, Schedule } from '../../src/replay/machine.js';
import { replayNatively } from '../../src/replay/native-engine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';

const SEEDS = Number(process.env.DPROF_SEEDS ?? 300);
const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);

function differences(path: string, machine: Machine, schedule: Schedule): string[] {
  const input = replayInput(openTrace(path), machine, schedule);
  const expected = describeResult(simulate(input));
  const actual = describeResult(replayNatively(input));
  const known = new Set(expected);
  const found = new Set(actual);
  return [...expected.filter((row) => !found.has(row)).map((row) => `ts only: ${row}`), ...actual.filter((row) => !known.has(row)).map((row) => `native only: ${row}`)];
}

describe.each(['logical', 'recorded'] as const)('on %s order', (kind) => {
  test(`${SEEDS} random traces give equal numbers from both engines`, () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const rows = differences(traceFile(randomTrace(seed)), randomMachine(seed), { kind });
      expect(rows.slice(0, 12), `seed ${seed} (rerun: DPROF_FIRST_SEED=${seed} DPROF_SEEDS=1 npx vitest run test/engine)`).toEqual([]);
    }
  });
});
