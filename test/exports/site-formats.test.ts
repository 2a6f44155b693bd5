// Stage: test. Exports by site: their stacks lead to allocations, and every sum is that of the run.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile as PprofProfile } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { callgrindEvents, writeCallgrind } from '../../src/exports/callgrind.js';
import { writePprof } from '../../src/exports/pprof.js';
import { listSamples } from '../../src/exports/samples.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { makeFolder } from '../cli/command-line.js';
import { outputOf } from '../cli/command-client.js';
import { build, record } from '../recorded/recorded.js';
import { join, PROFILES } from './hostile-profile.js';

const folder = makeFolder();
const bySite = { by: 'site' } as const;

describe.each(PROFILES)('%s', (_, profile) => {
  const { totals } = buildMissClassification(profile);
  const missesOfRun = LEVELS.map((level) => totals.levels[level].misses);

  test('samples add up to the run, in every measure that objects have', () => {
    const samples = listSamples(profile, bySite);
    const sum = (of: (sums: (typeof samples)[number]['sums']) => number): number =>
      samples.reduce((all, { sums }) => all + of(sums), 0);
    expect(sum(({ references }) => references)).toBe(totals.references);
    expect(sum((sums) => sums.get('missLatencyCycles'))).toBe(totals.missLatencyCycles);
    expect(LEVELS.map((level) => sum((sums) => sums.misses(level)))).toEqual(missesOfRun);
    for (const level of LEVELS)
      for (const name of CLASSES)
        expect(sum((sums) => sums.get(`${level}.${name}`))).toBe(totals.levels[level].classes[name]);
  });

  test("callgrind_annotate's totals are those of the run", () => {
    const path = joinPath(folder, 'callgrind.out');
    writeFileSync(path, join(writeCallgrind(profile, bySite)));
    const words = ['--threshold=100', '--show-percs=no', '--auto=no', path];
    const { stdout, stderr, status } = spawnSync('callgrind_annotate', words, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const line = /^.*PROGRAM TOTALS$/m.exec(stdout)![0].trim().split(/\s+/);
    const names = callgrindEvents(bySite).map(({ name }) => name);
    const found = names.map((name, at) => [name, Number(line[at].replaceAll(',', ''))]);
    expect(found.slice(0, 3).map(([, count]) => count)).toEqual(missesOfRun);
    expect(found.slice(-2)).toEqual([
      ['References', totals.references],
      ['MissCycles', totals.missLatencyCycles],
    ]);
  });

  test('pprof: every sample type sums up to the run', () => {
    const file = PprofProfile.decode(gunzipSync(Buffer.concat([...writePprof(profile, bySite)])));
    const sums = Object.fromEntries(
      file.sampleType.map(({ type }, at) => [
        file.stringTable.strings[Number(type)],
        file.sample.reduce((all, { value }) => all + Number(value[at]), 0),
      ]),
    );
    expect(sums).toEqual({
      references: totals.references,
      ...Object.fromEntries(LEVELS.map((level, at) => [`${level}_misses`, missesOfRun[at]])),
      miss_cycles: totals.missLatencyCycles,
    });
  });
});

test('a stack is the call path of an allocation, from the outermost caller inwards', () => {
  const trace = record(build('grid.c', ['-O2', '-fno-vectorize']));
  const text = outputOf(['export', trace, '--to', 'collapsed', '--by', 'site', '--type', 'double[]', '-o', '-']);
  const stacks = text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\([^)]*\//g, '('));
  expect(stacks).toEqual([
    'double[];main (grid.c:32);xmalloc (grid.c:12) 1026',
    'double[];main (grid.c:35) 1026',
    'double[];main (grid.c:31);setup (grid.c:19) 1025',
    'double[];main (grid.c:33);xmalloc (grid.c:12) 1024',
  ]);
});

test('a call path has its eight innermost frames with their lines in every format', () => {
  const trace = record(build('deep.c', ['-O0']));
  const exported = (format: string): Buffer => {
    const path = joinPath(folder, format);
    outputOf(['export', trace, '--to', format, '--by', 'site', '-o', path]);
    return readFileSync(path);
  };
  const frames = Array.from({ length: 8 }, () => 'down:5');
  const [line] = exported('collapsed').toString().split('\n');
  expect([...line.matchAll(/;(\w+) \([^()]*deep\.c(:\d+)\)/g)].map(([, name, at]) => name + at)).toEqual(frames);
  const speedscope = JSON.parse(exported('speedscope').toString());
  const [stack] = speedscope.profiles[speedscope.activeProfileIndex].samples as number[][];
  expect(stack.slice(1).map((at) => /^(\w+)/.exec(speedscope.shared.frames[at].name)![1])).toEqual(
    frames.map(() => 'down'),
  );
  expect(stack.slice(1).map((at) => speedscope.shared.frames[at].line)).toEqual(frames.map(() => 5));
  const pprof = PprofProfile.decode(gunzipSync(exported('pprof')));
  const { strings } = pprof.stringTable;
  const locations = pprof.sample[0].locationId.map((id) => pprof.location.find((one) => one.id === id)!.line[0]);
  const nameOf = (id: number | bigint): string => strings[Number(pprof.function.find((one) => one.id === id)!.name)];
  expect(locations.map(({ functionId, line: at }) => `${nameOf(functionId)}:${at}`)).toEqual(frames);
  // A function that calls itself: the line of the call, and of the allocation.
  expect(exported('callgrind').toString()).toMatch(/fn=\(1\) down\n5 [\d ]+\ncfi=\(1\)\ncfn=\(1\)\ncalls=1 5\n5 /);
});

test('a stack of an access has all that was inlined there, whichever function is charged', () => {
  const trace = record(build('grid.c', ['-O2', '-fno-vectorize']));
  const stacks = (...words: string[]): string[] =>
    outputOf(['export', trace, '--to', 'collapsed', '--function', ...words, '-o', '-'])
      .split('\n')
      .filter((line) => line.startsWith('struct item;'))
      .map((line) => line.replace(/\([^)]*\//g, '('));
  const whole = ['struct item;struct item.value;sum (grid.c:24);value_of (grid_alloc.h:5) 512'];
  expect(stacks('sum')).toEqual(whole);
  expect(stacks('value_of', '--innermost')).toEqual(whole);
});
