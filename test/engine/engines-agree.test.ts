// The native engine and the TypeScript simulator give equal numbers on seeded random traces, machines and schedules.

import { expect, test } from 'vitest';
import type { Machine, Schedule } from '../../src/replay/machine.js';
import { replayNatively } from '../../src/replay/native-engine.js';
import { openTrace, replayInput, withKernelStores, type OpenedTrace } from '../../src/replay/open-trace.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? 200);
/** Long traces fill the logs that conflict and capacity are told apart with. */
const LONG_EVERY = 20;

function differences(opened: OpenedTrace, machine: Machine, schedule: Schedule, kernelStores = false): string[] {
  const trace = kernelStores ? withKernelStores(opened) : opened;
  const input = replayInput(trace, machine, schedule);
  const expected = describeResult(simulate(input));
  const actual = describeResult(replayNatively(input));
  const [known, found] = [new Set(expected), new Set(actual)];
  return [...expected.filter((row) => !found.has(row)).map((row) => `ts: ${row}`), ...actual.filter((row) => !known.has(row)).map((row) => `native: ${row}`)];
}

/** A TLB that costs nothing makes a plain machine go the way of whole ones, with the same numbers but those of the TLB. */
function withFreeTlb(machine: Machine): Machine {
  return { ...machine, tlb: { l1: { entries: 1, ways: 1 }, l2LatencyCycles: 0, walkLatencyCycles: 0 } };
}

const WHOLE_ONLY = ['backInvalidations', 'prefetchIssued', 'prefetchUseful', 'prefetchUseless', 'tlbMisses'];

function withoutTlb(rows: readonly string[]): string[] {
  return rows.filter((row) => !WHOLE_ONLY.some((name) => row.startsWith(`total ${name}=`))).map((row) => row.replace(/ tlb\.l[12]Misses=\d+/g, ''));
}

function rerun(seed: number): string {
  return `seed ${seed}; rerun with DPROF_FIRST_SEED=${seed} DPROF_SEEDS=1 npx vitest run test/engine`;
}

test(`${SEEDS} random traces give equal numbers from both engines, in every order`, () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: seed % LONG_EVERY === 0 ? 1200 : 150 })));
    const machine = randomMachine(seed);
    for (const schedule of [{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: seed % 2 === 0 ? seed : 0xffff_ffff - seed }] as const) {
      expect(differences(trace, machine, schedule, seed % 2 === 0).slice(0, 12), `${spellSchedule(schedule)}, ${rerun(seed)}`).toEqual([]);
    }
  }
});

test(`${SEEDS} random traces on whole machines give equal numbers from both engines`, () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: seed % LONG_EVERY === 0 ? 400 : 40 })));
    const machine = randomWholeMachine(seed);
    const schedule = { kind: seed % 3 === 0 ? 'recorded' : 'logical' } as const;
    expect(differences(trace, machine, schedule, seed % 2 === 0).slice(0, 12), `${JSON.stringify(machine)}, ${rerun(seed)}`).toEqual([]);
  }
});

test('a plain machine gives the same numbers when it is simulated as a whole one, in either engine', () => {
  for (let seed = FIRST; seed < FIRST + Math.min(SEEDS, 40); seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: seed % LONG_EVERY === 0 ? 400 : 60 })));
    const plain = replayInput(trace, randomMachine(seed), { kind: 'logical' });
    const whole = { ...plain, machine: withFreeTlb(plain.machine) };
    const expected = describeResult(replayNatively(plain));
    expect(withoutTlb(describeResult(replayNatively(whole))), `native, ${rerun(seed)}`).toEqual(expected);
    expect(withoutTlb(describeResult(simulate(whole))), `ts, ${rerun(seed)}`).toEqual(expected);
  }
});

test('one core, many threads and one long trace on the default caches give equal numbers', () => {
  const level = (sizeBytes: number, ways: number, latencyCycles: number): Machine['l1'] => ({ sizeBytes, ways, latencyCycles });
  const trace = openTrace(traceFile(randomTrace(FIRST, { actions: 2000 })));
  for (const cores of [1, 5]) {
    const machine: Machine = {
      name: 'default', cores, lineBytes: 64, l1: level(32 << 10, 8, 4), l2: level(1 << 20, 16, 14), llc: level(32 << 20, 16, 50),
      coresPerLlc: cores, memoryLatencyCycles: 200, cacheToCacheLatencyCycles: 200,
    };
    expect(differences(trace, machine, { kind: 'logical' }).slice(0, 12), `${cores} cores`).toEqual([]);
  }
});
