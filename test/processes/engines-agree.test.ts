// Random runs as processes of one machine, with memory that they share: both engines give equal numbers, in every
// order, and no order breaks what the stamps say.

import { expect, test } from 'vitest';
import { checkSchedule } from '../../src/dump/issued-steps.js';
import { combineTraces } from '../../src/replay/combine-traces.js';
import type { Machine, Schedule } from '../../src/contract/machine.js';
import { openTrace, replayInput, withKernelStores, type OpenedTrace } from '../../src/replay/open-trace.js';
import { withRecordedCpus } from '../../src/replay/recorded-cpus.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from '../engine/replay-natively.js';
import { atLength } from '../at-length.js';
import { differences } from '../engine/equal-results.js';
import { writeRun } from '../random/made-up-run.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomProgram } from '../random/random-program.js';
import { randomMachine, randomRun, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { randomMappings } from './random-mappings.js';

const SEEDS = Number(process.env.DPROF_PROCESS_SEEDS ?? atLength(6, 40));

/** Every third time processes run one program; those of a program need not have the same addresses. */
function randomProcesses(seed: number, { areShared = true, move = false } = {}): OpenedTrace[] {
  const random = new RandomNumbers(seed * 31 + 5);
  const program = seed % 3 === 0 ? randomProgram(random) : undefined;
  return Array.from({ length: random.between(2, 4) }, (_, process) => {
    const moves = move ? new RandomNumbers(seed * 10 + process + 9_999_999) : undefined;
    const run = randomRun(seed * 10 + process, { actions: random.between(5, atLength(25, 60)), program, moves });
    return openTrace(traceFile(writeRun(run, { pid: process + 1, mappings: areShared ? randomMappings(random) : [] })));
  });
}

function scheduleOf(seed: number): Schedule {
  const kinds: readonly Schedule[] = [{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed }];
  return kinds[seed % 3];
}

test(`${SEEDS} random combinations give equal numbers from both engines and keep happens-before`, () => {
  let shared = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const schedule = scheduleOf(seed);
    const what = `seed ${seed}, ${spellSchedule(schedule)}`;
    const isOnCpus = seed % 2 === 0;
    const processes = combineTraces(randomProcesses(seed, { move: isOnCpus }));
    const combined = isOnCpus ? withRecordedCpus(processes) : processes;
    const machine = seed % 4 === 0 ? randomWholeMachine(seed) : randomMachine(seed);
    const asked = {
      ...combined,
      flow: { by: 'line', mostPaths: 100, mostSteps: 64 } as const,
      sharedVariables: { mostCounts: seed % 7 === 0 ? 10 : 100_000 },
    };
    const input = replayInput(seed % 5 === 0 ? withKernelStores(asked) : asked, machine, schedule);
    shared += combined.processes?.reduce((sum, process) => sum + process.shared.begin.length, 0) ?? 0;
    expect(
      differences(simulate(input), replayNatively(input, 1 + (seed % 2)), 'ts', 'native').slice(0, 8),
      what,
    ).toEqual([]);
    expect(checkSchedule(input).examples, what).toEqual([]);
  }
  expect(shared).toBeGreaterThan(10 * SEEDS);
});

test('processes that share nothing have together what each has alone', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const traces = randomProcesses(seed, { areShared: false });
    const machine = (cores: number): Machine => ({ ...randomMachine(seed), cores, coresPerLlc: 1 });
    const alone = traces.map(
      (trace) => simulate(replayInput(trace, machine(trace.threads.length), { kind: 'recorded' })).totals,
    );
    const combined = combineTraces(traces);
    const together = replayNatively(
      replayInput(combined, machine(combined.threads.length), { kind: 'recorded' }),
    ).totals;
    const sum = (of: (totals: typeof together) => number): number =>
      alone.reduce((total, totals) => total + of(totals), 0);
    for (const name of ['references', 'invalidations', 'upgrades', 'writeBacks', 'segments', 'outsideLife'] as const) {
      expect(together[name], `seed ${seed}, ${name}`).toBe(sum((totals) => totals[name]));
    }
    for (const level of [0, 1, 2])
      expect(together.misses[level], `seed ${seed}, level ${level}`).toBe(sum((totals) => totals.misses[level]));
  }
});

test('the order in which traces are named leaves no mark', () => {
  const traces = randomProcesses(7);
  const replayed = [traces, [...traces].reverse()].map((some) =>
    simulate(replayInput(combineTraces(some), randomMachine(7), { kind: 'logical' })),
  );
  expect(differences(replayed[0], replayed[1], 'as named', 'reversed')).toEqual([]);
});
