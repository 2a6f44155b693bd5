// Stage: test. Processes of one program: what they have in common is in memory once, and combines to what they say one
// by one.

import { expect, test } from 'vitest';
import { combineTraces } from '../../src/replay/combine-traces.js';
import { openTrace, readTraces } from '../../src/replay/open-trace.js';
import { writeRun } from '../random/made-up-run.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomProgram } from '../random/random-program.js';
import { randomRun } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

test('a module of several processes is kept once, another program beside it', () => {
  const [program, other] = [1, 2].map((seed) => randomProgram(new RandomNumbers(seed)));
  const paths = [program, other, program, program].map((own, process) =>
    traceFile(writeRun(randomRun(process, { actions: 20, program: own }), { pid: process + 1 })),
  );
  const traces = readTraces(paths);
  const [first, second, third, fourth] = traces.map(({ modules }) => modules.map(({ units }) => units));
  expect(first.length).toBeGreaterThan(0);
  for (const [at, units] of first.entries()) {
    expect(third[at]).toBe(units);
    expect(fourth[at]).toBe(units);
  }
  expect(second[0]).not.toBe(first[0]);
  const { traces: _, modules: __, ...combined } = combineTraces(traces);
  expect(combineTraces(paths.map(openTrace))).toMatchObject(combined);
});
