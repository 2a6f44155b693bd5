// Processes that wait for each other's System V semaphores: events on one object, and their order in every replay.

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { checkSchedule } from '../../src/dump/issued-steps.js';
import { dumpTrace } from '../../src/dump/trace-text.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { combineTraces } from '../../src/replay/combine-traces.js';
import { openTrace, readTraces, replayInput } from '../../src/replay/open-trace.js';
import { DPROF_CC, makeFolder, run } from '../cli/command-line.js';

const folder = makeFolder();
const TURNS = 3;
let paths: string[] = [];

beforeAll(() => {
  const program = join(folder, 'semaphores');
  const source = resolve(import.meta.dirname, 'programs/semaphores.c');
  const compiled = run(DPROF_CC, '-O1', '-g', source, '-o', program);
  expect(compiled.status, compiled.stderr).toBe(0);
  const recorder = resolve(import.meta.dirname, '../../bin/dprof');
  const recorded = run(recorder, 'record', '-o', join(folder, 's.dptrace'), '--', program);
  expect(recorded.status, recorded.stderr).toBe(0);
  paths = readdirSync(folder)
    .filter((name) => name.includes('.dptrace'))
    .sort()
    .map((name) => join(folder, name));
});

test('counting up is a release, counting down an acquire, of the same object in both processes', () => {
  const [parent, child] = paths.map((path) =>
    [...dumpTrace(openTrace(path))].flatMap(
      (line) => /^ {2}(release|acquire) stamp \d+ file ([0-9a-f]+)/.exec(line)?.slice(1).join(' ') ?? [],
    ),
  );
  const [up, down] = [parent[0].split(' ')[1], parent[1].split(' ')[1]];
  expect(Number.parseInt(down, 16) - Number.parseInt(up, 16)).toBe(1);
  const turns = (...lines: string[]): string[] => Array.from({ length: TURNS }, () => lines).flat();
  expect(parent).toEqual(turns(`release ${up}`, `acquire ${down}`));
  expect(child).toEqual(turns(`acquire ${up}`, `release ${down}`));
});

test.each([{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: 1 }] as const)(
  'the replay of both keeps that order: %j',
  (schedule) => {
    const trace = combineTraces(readTraces(paths));
    const input = replayInput(trace, resolveMachine({}, trace.threads.length), schedule);
    expect(checkSchedule(input).examples).toEqual([]);
  },
);
