// A program with more processes than are replayed together: those that recorded least are left out, and every report
// says so.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { combineTraces } from '../../src/replay/combine-traces.js';
import { readTraces } from '../../src/replay/open-trace.js';
import { MOST_PROCESSES } from '../../src/replay/room-for-processes.js';
import { dprof, DPROF_CC, makeFolder, run } from '../cli/command-line.js';

const folder = makeFolder();
const traces = join(folder, 'traces');

beforeAll(() => {
  const program = join(folder, 'many');
  const source = resolve(import.meta.dirname, 'programs/many.c');
  const compiled = run(DPROF_CC, '-O1', '-g', source, '-o', program);
  expect(compiled.status, compiled.stderr).toBe(0);
  const recorder = resolve(import.meta.dirname, '../../bin/dprof');
  const recorded = run(
    '/bin/sh',
    '-c',
    `mkdir ${traces} && ${recorder} record -o ${traces}/many.dptrace -- ${program} 70`,
  );
  expect(recorded.status, recorded.stderr).toBe(0);
  expect(readdirSync(traces)).toHaveLength(71);
  const all = `${traces}/many.dptrace ${traces}/many.dptrace.*`;
  expect(recorded.stderr).toMatch(/^dprof: 71 processes were recorded:\n/);
  const next = `dprof: next: dprof report ${all}: those ${MOST_PROCESSES} that recorded most, unless you name fewer\n`;
  expect(recorded.stderr.endsWith(next), recorded.stderr).toBe(true);
});

test('what is kept of the first trace is no trace that a wildcard names', () => {
  const [first, second] = readdirSync(traces).map((name) => join(traces, name));
  const kept = `${first}.cache`;
  const look = (...words: string[]): string => {
    const { status, stdout, stderr } = dprof('report', first, second, ...words, '--format', 'json');
    expect(status, stderr).toBe(0);
    return stdout;
  };
  mkdirSync(kept);
  expect(look(kept)).toBe(look());
  expect(dprof('report', kept).stderr).toContain(`no traces in ${kept}`);
  rmSync(kept, { recursive: true });
});

// Child n makes 10 n stores. The parent began first and stays; of the children the last 62 do, 9 to 70.
const STORES = 10 * ((70 * 71) / 2 - (8 * 9) / 2);

test.each(['native', 'ts'])('of 71 processes, 63 are replayed and 8 are said to be left out (%s)', (engine) => {
  const { status, stdout, stderr } = dprof(
    'report',
    traces,
    '--engine',
    engine,
    '--cores',
    '2',
    '--no-flow',
    '--format',
    'json',
  );
  expect(status, stderr).toBe(0);
  const { processes, leftOut, totals } = JSON.parse(stdout);
  expect(processes).toHaveLength(63);
  expect(leftOut).toMatchObject({ processes: 8, ofProcesses: 71 });
  expect(totals.stores).toBe(STORES);
});

test('the report names them, with their share of the bytes of all', () => {
  const paths = readdirSync(traces).map((name) => join(traces, name));
  const bytesOf = (path: string): number =>
    readTraces([path])[0].threads.reduce((sum, { bytes }) => sum + bytes.reduce((all, one) => all + one, 0), 0);
  const sizes = paths.map(bytesOf);
  // The parent's trace has no `.<pid>`.
  const ofChildren = sizes.filter((_, index) => !paths[index].endsWith('.dptrace')).sort((a, b) => a - b);
  const bytes = ofChildren.slice(0, 8).reduce((sum, one) => sum + one, 0);
  const ofBytes = sizes.reduce((sum, one) => sum + one, 0);
  expect(combineTraces(readTraces(paths)).leftOut).toEqual({ processes: 8, ofProcesses: 71, bytes, ofBytes });
  const { stdout } = dprof('report', traces);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `LEFT OUT 8 of 71 processes, those that recorded least (${((100 * bytes) / ofBytes).toFixed(1)}% of the bytes of ` +
      'all): a replay has no room for more (docs/replay/processes.md), and all numbers are of the rest',
  );
});
