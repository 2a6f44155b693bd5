// Output that nobody reads to the end, as in `dprof … | head`: the command ends without a word. And output to what the
// shell opened, by any of its names, which stays what it was.

import { existsSync, lstatSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, run, saveTrace, writePairTrace } from './command-line.js';

const DPROF = resolve(import.meta.dirname, '../../bin/dprof');
const folder = makeFolder();
const trace = join(folder, 'pair.dptrace');
const profile = join(folder, 'pair.dprofile');
const fifo = join(folder, 'fifo');

beforeAll(() => {
  saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
  expect(dprof('replay', trace, '-o', profile)).toMatchObject({ status: 0 });
  expect(run('mkfifo', fifo).status).toBe(0);
});

const shell = (script: string, ...words: string[]) => run('/bin/bash', '-c', script, 'bash', ...words);

/** Standard output is a pipe whose reader has gone. */
const withoutReader = (...words: string[]) =>
  shell(`exec 3<>${fifo} 4>${fifo} 3<&-; exec "$@" >&4 4>&-`, DPROF, ...words);

const WRITERS = [
  ['export', profile, '--to', 'csv'],
  ['export', profile, '--to', 'parquet'],
  ['html', profile],
  ['merge', profile, profile],
  ['replay', trace],
];

test.each(
  [
    ...WRITERS.flatMap((words) => ['-', '/dev/stdout'].map((output) => [...words, '-o', output])),
    ['annotate', profile],
    ['diff', profile, profile],
    ['dump', trace, '--references'],
    ['machines'],
    ['report', profile],
    ['report', profile, '--format', 'json'],
    ['sweep', trace, '--l1', '4K..8K'],
    ['help', 'report'],
  ].map(
    (words) =>
      [words.map((word) => (word.startsWith(folder) ? word.slice(folder.length + 1) : word)).join(' '), words] as const,
  ),
)('nobody reads what dprof %s writes', (_, words) => {
  expect(withoutReader(...words)).toMatchObject({ status: 0, stderr: '' });
});

test('a page is more than a pipe holds: its reader may also go in the middle, by whatever name it is called', () => {
  expect(shell(`"$@" -o >(head -c 1 >/dev/null)`, DPROF, 'html', profile)).toMatchObject({ status: 0, stderr: '' });
});

test.each(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/dev/fd/5'])(
  'a file that the shell opened gets the output by the name %s, behind what it had',
  (name) => {
    const expected = join(folder, 'expected.csv');
    const file = join(folder, 'some.csv');
    expect(dprof('export', profile, '--to', 'csv', '-o', expected).status).toBe(0);
    const { status, stderr } = shell(
      `echo first > ${file}; "$@" >> ${file} 5>&1`,
      ...[DPROF, 'export', profile, '--to', 'csv', '-o', name],
    );
    expect(status, stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`first\n${readFileSync(expected, 'utf8')}`);
  },
);

test('what a link leads to is replaced, and the link stays', () => {
  const file = join(folder, 'linked.dprofile');
  const link = join(folder, 'link.dprofile');
  expect(dprof('merge', profile, profile, '-o', file).status).toBe(0);
  symlinkSync(file, link);
  expect(dprof('replay', trace, '-o', link).status).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file)).toEqual(readFileSync(profile));
});

test.each(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])(
  'a recording to %s is one to -: no file takes the place of the name',
  (name) => {
    const before = realpathSync('/dev/stdout');
    const file = join(folder, 'recorded');
    // An option that is for streams only is taken, and what the program prints stays out of the trace.
    const { status, stderr } = shell(
      `"$@" > ${file}`,
      DPROF,
      'record',
      '--drop',
      '-o',
      name,
      '--',
      '/bin/echo',
      'hello',
    );
    expect(stderr).toContain('hello\n');
    expect(stderr).toContain('/bin/echo is not instrumented: nothing was recorded');
    expect(status).toBe(1);
    expect(lstatSync('/dev/stdout').isSymbolicLink()).toBe(true);
    expect(realpathSync('/dev/stdout')).toBe(before);
    expect(existsSync('/dev/stdout.incomplete')).toBe(false);
  },
);
