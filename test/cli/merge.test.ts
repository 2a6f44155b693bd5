// Stage: test. Profiles of two runs merged and reported, as a user does.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  for (const [name, rounds, ...flags] of [
    ['ten', 10],
    ['forty', 40],
    ['three-cores', 10, '--cores', '3'],
  ] as const) {
    const trace = saveTrace(folder, `${name}.dptrace`, writePairTrace(rounds).finish({ exit: { code: 0 } }));
    expect(dprof('replay', trace, '-o', at(`${name}.dprofile`), ...flags)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  }
});

test('two runs are added up, and the report says of how many it is', () => {
  const merged = at('merged.dprofile');
  expect(dprof('merge', at('ten.dprofile'), at('forty.dprofile'), '-o', merged)).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
  const text = dprof('report', merged).stdout.split('\n');
  expect(text[0]).toBe('program      MERGED from 2 runs: 2 x ./pair of counters (exited with status 0)');
  expect(text.find((line) => line.startsWith('misses'))).toMatch(/^misses {7}L1 \d+ of 100 references /);
  expect(text.find((line) => line.startsWith('totals'))).toMatch(/^totals {7}0 loads, 100 stores of 4 threads in /);
  const view = JSON.parse(dprof('report', merged, '--view', 'sharing', '--format', 'json').stdout);
  // All of n rounds but each core's first.
  expect(view.totals.levels.l1.classes['false-sharing']).toBe(18 + 78);
  // 96 by false sharing, and each run's second core's first reference to the line.
  expect([
    view.rows.reduce((sum: number, { misses }: { misses: number }) => sum + misses, 0),
    view.coldSharing,
  ]).toEqual([98, 2]);
  expect(view.runs.map(({ command, threads }: any) => [command, threads])).toEqual([
    [['./pair', 'of counters'], 2],
    [['./pair', 'of counters'], 2],
  ]);
  const other = at('other.dprofile');
  dprof('merge', at('forty.dprofile'), at('ten.dprofile'), '-o', other);
  expect(readFileSync(other).equals(readFileSync(merged))).toBe(true);
});

test.each<[words: () => string[], status: number, stderr: () => string]>([
  [
    () => [at('ten.dprofile')],
    2,
    () =>
      'dprof: one profile is nothing to merge\nhint: name two or more: dprof merge A.dprofile B.dprofile -o ' +
      'BOTH.dprofile\n',
  ],
  [
    () => [at('ten.dprofile'), at('three-cores.dprofile')],
    1,
    () =>
      `dprof: ${at('ten.dprofile')} and ${at('three-cores.dprofile')} cannot be merged: their machines differ ` +
      `in cores, 2 and 3\nhint: a machine has as many cores as the trace has threads, unless it says: replay ` +
      `each with the same --cores\n`,
  ],
  [
    () => [at('ten.dprofile'), at('ten.dptrace')],
    1,
    () =>
      `dprof: ${at('ten.dptrace')}: profile magic at offset 0: expected DPROFPRF, found "DPROFTRC"\nhint: this ` +
      `is not a dprof profile\n`,
  ],
])('what cannot be merged writes nothing', (words, status, stderr) => {
  expect(dprof('merge', ...words(), '-o', at('nothing.dprofile'))).toEqual({ status, stdout: '', stderr: stderr() });
  expect(existsSync(at('nothing.dprofile'))).toBe(false);
});
