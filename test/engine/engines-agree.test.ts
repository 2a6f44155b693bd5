// The native engine and the TypeScript simulator give equal numbers on seeded random runs, machines and schedules:
// short ones, of which there are very many (`npm run fuzz` has millions), and some long ones. A seed for which they
// differ is printed with a small case that shows it, drawn.

import { afterAll, expect, test } from 'vitest';
import type { Machine } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { withRecordedCpus } from '../../src/replay/recorded-cpus.js';
import { COUNTERS } from '../../src/contract/result.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import { Comparison } from '../fuzz/engines.js';
import { failureOf } from '../fuzz/report.js';
import { RandomCases, recordedCpus } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { writeRun } from '../random/made-up-run.js';
import { randomMachine, randomRun, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { differences } from './equal-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(25, 2000));

const comparison = new Comparison();
afterAll(() => comparison.close());

test(`${SEEDS} random cases give equal numbers from both engines, with 1, 2 and 4 workers`, () => {
  const cases = new RandomCases();
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) expect(failureOf(seed, cases, comparison) ?? '').toBe('');
});

test('so short cases, three hundred of them, meet every counter, every rule and every relation', () => {
  const cases = new RandomCases();
  const [counters, rules, relations] = [new Set<string>(), new Set<number>(), new Set<number>()];
  for (let seed = 1; seed <= 300; seed++) {
    const { tallies, sharing } = replayNatively(comparison.input(cases.at(seed)));
    tallies.counters.forEach((count, at) => count > 0 && counters.add(COUNTERS[at % COUNTERS.length]));
    tallies.rule.forEach((rule) => rules.add(rule));
    sharing.relation.forEach((relation) => relations.add(relation));
  }
  expect(COUNTERS.filter((name) => !counters.has(name))).toEqual([]);
  expect([[...rules].sort(), [...relations].sort()]).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [0, 1, 3],
  ]);
});

test('what a trace says of CPUs is what its threads said', () => {
  const cases = new RandomCases();
  let said = 0;
  for (let seed = FIRST; seed < FIRST + 60; seed++) {
    const { run, cpus } = cases.at(seed);
    if (cpus === undefined) continue;
    expect(withRecordedCpus(openTrace(traceFile(writeRun(run)))).cpus, `seed ${seed}`).toEqual(cpus);
    said++;
  }
  expect(said).toBeGreaterThan(8);
});

test('long traces give equal numbers in every order', () => {
  for (let seed = FIRST; seed < FIRST + atLength(2, 6); seed++) {
    for (const schedule of [
      { kind: 'logical' },
      { kind: 'recorded' },
      { kind: 'random', seed: 0xffff_ffff - seed },
    ] as const) {
      const run = randomRun(seed, {
        actions: seed % 6 === 0 ? 900 : atLength(80, 150),
        moves: new RandomNumbers(seed),
      });
      const cpus = seed % 2 === 0 ? recordedCpus(run) : null;
      const found = comparison.differences({
        run,
        ...(cpus && { cpus }),
        machine: randomMachine(seed),
        schedule,
        kernelStores: seed % 2 === 0,
      });
      expect(found.slice(0, 12), `seed ${seed}, ${spellSchedule(schedule)}`).toEqual([]);
    }
  }
});

test('one core, many threads and one long trace on the default caches give equal numbers', () => {
  const level = (sizeBytes: number, ways: number, latencyCycles: number): Machine['l1'] => ({
    sizeBytes,
    ways,
    latencyCycles,
  });
  const trace = openWithFlow(traceFile(randomTrace(FIRST, { actions: atLength(700, 2000) })));
  for (const cores of [1, 5]) {
    const machine: Machine = {
      name: 'default',
      cores,
      lineBytes: 64,
      l1: level(32 << 10, 8, 4),
      l2: level(1 << 20, 16, 14),
      llc: level(32 << 20, 16, 50),
      coresPerLlc: cores,
      memoryLatencyCycles: 200,
      cacheToCacheLatencyCycles: 200,
    };
    const input = replayInput(trace, machine, { kind: 'logical' });
    expect(differences(simulate(input), replayNatively(input), 'ts', 'native').slice(0, 12), `${cores} cores`).toEqual(
      [],
    );
  }
});
