// Stage: test. `dprof export`: every format from a trace and from its profile, and what is refused.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { EXPORT_NAMES } from '../../src/exports/formats.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
let trace: string;
let profile: string;

beforeAll(() => {
  trace = saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 0 } }));
  profile = join(folder, 'pair.dprofile');
  expect(dprof('replay', trace, '-o', profile)).toEqual({ status: 0, stdout: '', stderr: '' });
});

test.each(EXPORT_NAMES)('--to %s: of a trace and of its profile the same file', (format) => {
  const files = [trace, profile].map((from, at) => {
    const to = join(folder, `${at}.${format}`);
    expect(dprof('export', from, '--to', format, '-o', to)).toEqual({ status: 0, stdout: '', stderr: '' });
    return readFileSync(to);
  });
  expect(files[0].length).toBeGreaterThan(100);
  expect(files[0].equals(files[1])).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('incomplete'))).toEqual([]);
});

test('collapsed stacks on standard output, of the measure and the field that are asked for', () => {
  const stacks = (...words: string[]): string =>
    dprof('export', profile, '--to', 'collapsed', '-o', '-', ...words).stdout;
  expect(stacks()).toBe(
    'struct pair;struct pair.left;count_left (drawn.c:11) 10\nstruct pair;struct pair.right;count_right ' +
      '(drawn.c:21) 10\n',
  );
  expect(stacks('--measure', 'l1-false-sharing', '--field', 'left')).toBe(
    'struct pair;struct pair.left;count_left (drawn.c:11) 9\n',
  );
});

test('CSV is that of the report', () => {
  for (const words of [
    [],
    ['--view', 'functions', '--sort', 'cycles'],
    ['--view', 'miss-classification', '--by', 'line', '--function', 'count_left'],
  ]) {
    expect(dprof('export', profile, '--to', 'csv', '-o', '-', ...words).stdout).toBe(
      dprof('report', profile, '--format', 'csv', ...words).stdout,
    );
  }
});

test.each([
  [
    ['--to', 'pdf', '-o', 'x'],
    2,
    "option '--to <format>' argument 'pdf' is invalid. Allowed choices are callgrind, pprof, speedscope, " +
      'collapsed, trace-event, dot, csv, parquet, dataset.',
  ],
  [['-o', 'x'], 2, "required option '--to <format>' not specified"],
  [['--to', 'csv'], 2, "required option '-o, --output <file>' not specified"],
  [['--to', 'pprof', '-o', 'x', '--view', 'sharing'], 2, '--view sharing is not for --to pprof'],
  [['--to', 'dot', '-o', 'x', '--view', 'address-set'], 2, '--view address-set is not for --to dot'],
  [['--to', 'pprof', '-o', 'x', '--measure', 'cycles'], 2, '--measure is not for --to pprof'],
  [['--to', 'callgrind', '-o', 'x', '--by', 'line'], 2, '--by is not for --to callgrind'],
  [['--to', 'callgrind', '-o', 'x', '--by', 'site', '--function', 'main'], 2, '--function is not for --to callgrind'],
  [
    ['--to', 'collapsed', '-o', 'x', '--by', 'site', '--measure', 'cycles'],
    2,
    '--measure cycles is not for --by site: no object counts hits',
  ],
  [['--to', 'csv', '-o', 'x', '--call-path'], 2, '--call-path is not for --to csv'],
  [['--to', 'trace-event', '-o', 'x', '--field', 'left'], 2, '--field is not for --to trace-event'],
  [
    ['--to', 'csv', '-o', 'x', '--field', 'left'],
    2,
    '--field is not for data-profile, whose rows can not be chosen so',
  ],
  [['--to', 'csv', '-o', 'x', '--type', 'struct pear'], 1, "no type in this profile is named 'struct pear'"],
  [['--to', 'csv', '-o', '/nowhere/x'], 1, 'cannot write the export /nowhere/x (ENOENT)'],
  [['--to', 'csv', '-o', '/dev/full'], 1, 'cannot write the export /dev/full (ENOSPC)'],
  [['--to', 'csv', '-o', 'x', '--cores', '2'], 2, '--cores does nothing for PROFILE, which was replayed already'],
] as const)('%j', (words, status, message) => {
  const { stderr, ...outcome } = dprof('export', profile, ...words);
  expect({ ...outcome, message: stderr.split('\n')[0].replace(profile, 'PROFILE') }).toEqual({
    status,
    stdout: '',
    message: `dprof: ${message}`,
  });
});
