// Stage: test. What a report holds is the JSON of the views, byte for byte.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, saveTrace, writePairTrace } from '../cli/command-line.js';
import { unpackBlock } from './unpack.js';

const folder = makeFolder();
const profile = join(folder, 'pair.dprofile');
let page: string;

beforeAll(() => {
  const trace = saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 3 } }));
  expect(dprof('replay', trace, '-o', profile, '--engine', 'ts', '--shared-variables').status).toBe(0);
  expect(dprof('html', profile, '-o', join(folder, 'pair.html')).status).toBe(0);
  page = readFileSync(join(folder, 'pair.html'), 'utf8');
});

test('each view is what dprof report --format json prints', () => {
  const { views } = JSON.parse(unpackBlock(page, 'contents')[0]) as {
    views: { key: string; rows: number; pieces: { rows: number }[] }[];
  };
  expect(views.map(({ key }) => key)).toEqual([
    'data-profile',
    'miss-classification',
    'functions',
    'sharing',
    'evictions',
    'invalidations',
    'unused-bytes',
    'struct-layout',
    'working-set',
    'path-traces',
    'data-flow',
    'locks',
    'shared-variables',
    'annotated-source',
  ]);
  views.forEach(({ key, rows, pieces }, index) => {
    const words = key === 'annotated-source' ? ['annotate', profile] : ['report', profile, '--view', key];
    const printed = dprof(...words, '--format', 'json').stdout;
    expect(unpackBlock(page, `view-${index}`).join('')).toBe(printed);
    expect([rows, pieces.reduce((sum, piece) => sum + piece.rows, 0)]).toEqual([JSON.parse(printed).rows.length, rows]);
  });
});

test('the trace gives the same page as its profile', () => {
  expect(dprof('html', join(folder, 'pair.dptrace'), '-o', join(folder, 'again.html'), '--engine', 'ts').status).toBe(
    0,
  );
  expect(readFileSync(join(folder, 'again.html'), 'utf8')).toBe(page);
});

test('--no-shared-variables leaves their page out, and of a profile is refused', () => {
  const [trace, leaner] = [join(folder, 'pair.dptrace'), join(folder, 'leaner.html')];
  expect(dprof('html', trace, '-o', leaner, '--no-shared-variables', '--no-flow')).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
  const { views } = JSON.parse(unpackBlock(readFileSync(leaner, 'utf8'), 'contents')[0]) as {
    views: { key: string }[];
  };
  expect(views.map(({ key }) => key)).toEqual([
    'data-profile',
    'miss-classification',
    'functions',
    'sharing',
    'evictions',
    'invalidations',
    'unused-bytes',
    'struct-layout',
    'locks',
    'annotated-source',
  ]);
  for (const flag of ['--no-shared-variables', '--shared-variables', '--no-flow']) {
    expect(dprof('html', profile, '-o', leaner, flag)).toEqual({
      status: 2,
      stdout: '',
      stderr:
        `dprof: ${flag} does nothing for ${profile}, which was replayed already\nhint: give the trace instead of ` +
        `the profile\n`,
    });
  }
});

test('-o - is standard output', () => {
  expect(dprof('html', profile, '-o', '-').stdout).toBe(page);
});

test('what can not be a page is refused in a line', () => {
  expect(dprof('html', profile)).toMatchObject({ status: 2, stdout: '' });
  expect(dprof('html', profile, '-o', join(folder, 'none/report.html')).stderr).toBe(
    `dprof: cannot write the report ${join(folder, 'none/report.html')} (ENOENT)\nhint: choose another place with -o\n`,
  );
  expect(dprof('html', profile, '-o', '/dev/full').stderr).toBe(
    'dprof: cannot write the report /dev/full (ENOSPC)\nhint: the disk is full; free some space or write ' +
      'elsewhere with -o\n',
  );
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true); // it is written to, and no file put in its place
  expect(dprof('html', profile, '-o', join(folder, 'x.html'), '--paths', 'few')).toMatchObject({ status: 2 });
  expect(
    dprof('html', join(folder, 'pair.dptrace'), '-o', join(folder, 'x.html'), '--machine', 'paper', '--machine', 'host')
      .status,
  ).toBe(2);
});
