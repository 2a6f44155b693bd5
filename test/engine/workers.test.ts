// Numbers and errors do not depend on how many threads the native engine uses: with many threads in the trace, and with
// one that has the machine for itself.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { NO_CHUNKS, type ReplayInput } from '../../src/contract/input.js';
import type { Machine } from '../../src/contract/machine.js';
import { replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import { writeRun } from '../random/made-up-run.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomProgram } from '../random/random-program.js';
import { randomMachine, randomRun, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

const LOGICAL = { kind: 'logical' } as const;
const WORKERS = [1, 2, 3];
const FIRST_LOOPS = Number(process.env.DPROF_FIRST_SEED ?? 701);
const LOOPS = Number(process.env.DPROF_SEEDS ?? atLength(4, 40));

/** Only the thread with most events, on one core. */
function aloneIn(input: ReplayInput): ReplayInput {
  const bytes = input.threads.map((thread) => thread.bytes.reduce((sum, n) => sum + n, 0));
  const longest = bytes.indexOf(Math.max(...bytes));
  return {
    ...input,
    machine: { ...input.machine, cores: 1, coresPerLlc: 1 },
    threads: input.threads.map((thread, number) => (number === longest ? thread : NO_CHUNKS)),
  };
}

function outcome(input: ReplayInput, workers: number): string[] {
  try {
    return describeResult(replayNatively(input, workers));
  } catch (error) {
    if (error instanceof DprofError) return [error.message];
    throw error;
  }
}

function expectAllEqual(input: ReplayInput, label: string): string[] {
  const [one, ...more] = WORKERS.map((workers) => outcome(input, workers));
  more.forEach((found, index) => expect(found, `${label}, ${WORKERS[index + 1]} workers`).toEqual(one));
  return one;
}

test('random traces give the same numbers with any number of workers', () => {
  for (let seed = 301; seed < 301 + atLength(4, 20); seed++) {
    const input = replayInput(
      openWithFlow(traceFile(randomTrace(seed, { actions: 300 }))),
      randomMachine(seed),
      LOGICAL,
    );
    expectAllEqual(input, `seed ${seed}`);
  }
});

test("a thread for itself gives the simulator's numbers with any number of workers", () => {
  for (let seed = 401; seed < 401 + atLength(1, 6); seed++) {
    const trace = traceFile(randomTrace(seed, { actions: atLength(700, 4000) }));
    const input = aloneIn(replayInput(openWithFlow(trace), randomMachine(seed), LOGICAL));
    const result = simulate(input);
    expect(result.totals.references, 'several batches of 2048').toBeGreaterThan(8192);
    const found = new Set(expectAllEqual(input, `seed ${seed}`));
    expect(
      describeResult(result)
        .filter((row) => !found.has(row))
        .slice(0, 12),
      `seed ${seed}`,
    ).toEqual([]);
  }
});

/** Lines as long as a page have a word of touched bytes for each 64. */
function withLines(machine: Machine, lineBytes: number): Machine {
  const scaled = (level: Machine['l1']): Machine['l1'] => ({
    ...level,
    sizeBytes: (level.sizeBytes / machine.lineBytes) * lineBytes,
  });
  return { ...machine, lineBytes, l1: scaled(machine.l1), l2: scaled(machine.l2), llc: scaled(machine.llc) };
}

test(
  "long loops of a thread for itself give the simulator's numbers: in objects that are loaded and stored, near " +
    'and far, within lines and over two',
  () => {
    let program = randomProgram(new RandomNumbers(FIRST_LOOPS));
    for (let seed = FIRST_LOOPS; seed < FIRST_LOOPS + LOOPS; seed++) {
      if (seed % 8 === 0) program = randomProgram(new RandomNumbers(seed));
      const run = randomRun(seed, { actions: seed % 50 === 0 ? 150 : 1 + (seed % 12), program, longLoops: true });
      const machine = seed % 4 === 0 ? withLines(randomMachine(seed), 256) : randomMachine(seed);
      const input = aloneIn(
        replayInput(openWithFlow(traceFile(writeRun(run)), seed % 3 === 0 ? 'line' : 'function'), machine, LOGICAL),
      );
      const found = new Set(outcome(input, 1));
      expect(
        describeResult(simulate(input))
          .filter((row) => !found.has(row))
          .slice(0, 12),
        `seed ${seed}`,
      ).toEqual([]);
    }
  },
);

test(
  'a thread for itself whose events are damaged fails alike, and at the same place, with any number of ' + 'workers',
  () => {
    const seeds = atLength(6, 30);
    let failed = 0;
    for (let seed = 501; seed < 501 + seeds; seed++) {
      const path = traceFile(randomTrace(seed, { actions: atLength(500, 1500) }));
      const input = aloneIn(replayInput(openWithFlow(path), randomMachine(seed), LOGICAL));
      const [thread] = input.threads.filter(({ offset }) => offset.length > 0);
      const bytes = readFileSync(path);
      bytes[thread.offset[0] + ((seed * 7919) % thread.bytes[0])] ^= 1 << (seed % 8);
      writeFileSync(path, bytes);
      failed += Number(expectAllEqual(input, `seed ${seed}`).length === 1);
    }
    expect(failed).toBeGreaterThan(atLength(1, 10));
  },
);

test('several threads whose events are damaged fail alike, and at the same place, with any number of workers', () => {
  const seeds = atLength(5, 20);
  let failed = 0;
  for (let seed = 606; seed < 606 + seeds; seed++) {
    const path = traceFile(randomTrace(seed, { actions: 300 }));
    const input = replayInput(openWithFlow(path), randomMachine(seed), LOGICAL);
    const [thread] = input.threads.filter(({ offset }) => offset.length > 0).slice(-1);
    const bytes = readFileSync(path);
    bytes[thread.offset[0] + ((seed * 7919) % thread.bytes[0])] ^= 1 << (seed % 8);
    writeFileSync(path, bytes);
    failed += Number(expectAllEqual(input, `seed ${seed}`).length === 1);
  }
  expect(failed).toBeGreaterThan(atLength(0, 5));
});
