// Machines that share one decoding each give the numbers that they give alone, with any number of workers.

import { expect, test } from 'vitest';
import { NO_CHUNKS, type ReplayInput } from '../../src/contract/input.js';
import type { Machine } from '../../src/contract/machine.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { replayInput } from '../../src/replay/open-trace.js';
import { groupMachines, MOST_TOGETHER } from '../../src/replay/replay-machines.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

/** Plain ones, with lines of 64 bytes. */
function machinesOf(cores: number, count: number): Machine[] {
  const machines: Machine[] = [];
  for (let seed = 1; machines.length < count; seed++) {
    const machine = randomMachine(seed);
    if (machine.lineBytes === 64) machines.push({ ...machine, cores, coresPerLlc: cores });
  }
  return machines;
}

const LOGICAL = { kind: 'logical' } as const;

function expectAloneIsTogether(input: ReplayInput, machines: readonly Machine[], label: string): void {
  const alone = machines.map((machine) => describeResult(replayNatively({ ...input, machine })));
  for (const workers of [1, 2, 4]) {
    const together = replayNativelyOn({ ...input, machine: machines[0] }, machines.slice(1), workers);
    expect(together.map(describeResult), `${label}, ${workers} workers`).toEqual(alone);
  }
}

test('machines of the same cores and lines, plain and whole, give together what each gives alone', () => {
  let most = 0;
  for (let seed = 1; seed <= atLength(1, 3); seed++) {
    const machines = Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? randomWholeMachine : randomMachine)(seed * 100 + index),
    );
    const trace = openWithFlow(traceFile(randomTrace(seed, { actions: 60 })));
    for (const group of groupMachines(machines)) {
      const together = group.map((index) => machines[index]);
      most = Math.max(most, together.length);
      expectAloneIsTogether(replayInput(trace, together[0], LOGICAL), together, `seed ${seed}`);
    }
  }
  expect(most).toBeGreaterThan(2);
});

test('a loop that is recorded once, on plain machines of one core', () => {
  for (let seed = 401; seed <= atLength(401, 402); seed++) {
    const machines = machinesOf(1, 3);
    const input = replayInput(openWithFlow(traceFile(randomTrace(seed, { actions: 800 }))), machines[0], LOGICAL);
    const bytes = input.threads.map((thread) => thread.bytes.reduce((sum, n) => sum + n, 0));
    const longest = bytes.indexOf(Math.max(...bytes));
    const threads = input.threads.map((thread, number) => (number === longest ? thread : NO_CHUNKS));
    expectAloneIsTogether({ ...input, threads }, machines, `seed ${seed}`);
  }
});

test('machines that lay references out differently are not replayed together', () => {
  const [machine] = machinesOf(2, 1);
  const input = replayInput(openWithFlow(traceFile(randomTrace(1, { actions: 10 }))), machine, LOGICAL);
  for (const other of [
    { ...machine, cores: 3, coresPerLlc: 3 },
    { ...machine, lineBytes: 32 },
  ])
    expect(() => replayNativelyOn(input, [other], 1)).toThrow(
      'machines of one replay must have the same cores and the same line size',
    );
});

test('machines are grouped in order, and no more than a few together', () => {
  const [small] = machinesOf(2, 1),
    large = { ...small, cores: 4, coresPerLlc: 4 };
  expect(groupMachines([small, large, small, small, large])).toEqual([
    [0, 2, 3],
    [1, 4],
  ]);
  expect(groupMachines(Array<Machine>(MOST_TOGETHER + 1).fill(small)).map(({ length }) => length)).toEqual([
    MOST_TOGETHER,
    1,
  ]);
});
