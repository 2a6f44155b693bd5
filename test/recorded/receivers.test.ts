// Stage: test. Memory from helpers of the program is told by the line that asks for it and the name that it gets there,
// through several layers of helpers.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { briefSite } from '../../src/views/sites.js';
import { outputOf } from '../cli/command-client.js';
import { build, PROGRAMS, record, report } from './recorded.js';

/** Of heap objects of this many bytes or more: how many there are, who receives them, and where. */
function received(trace: string, leastBytes: number): string[] {
  return report(trace, 'miss-classification', '--by', 'site')
    .rows.filter(({ callPath, bytes }) => callPath.length > 0 && bytes >= leastBytes)
    .map(({ objects, receiver, site }) => `${objects} ${receiver} ${briefSite(site)}`)
    .sort();
}

const HELPERS = join(PROGRAMS, 'wrappers-alloc.c');

describe.each([['-O0'], ['-O2'], ['-O2', '-flto']])('at %s %s', (...flags) => {
  const trace = record(build('wrappers.c', [...flags, '-fno-vectorize', HELPERS]));

  it('names what the caller does with the result of a typed helper; a struct is made where its function is', () => {
    expect(received(trace, 512)).toEqual([
      '1 a wrappers.c:20',
      '1 a[] wrappers.c:20',
      '1 b[][] wrappers.c:21',
      '1 cells wrappers-alloc.c:56',
      '1 cells wrappers-alloc.c:56',
      '1 counts wrappers.c:19',
      '1 grids.cells wrappers.c:18',
      '1 kept wrappers-alloc.c:62',
      '1 u wrappers.c:16',
      '1 v wrappers.c:17',
      '1 x wrappers.c:22',
      '1 y wrappers.c:23',
      '2 b[] wrappers.c:21',
    ]);
  });
});

it('has paths that begin where the memory is asked for', () => {
  const trace = record(build('wrappers.c', ['-O0', HELPERS]));
  const beginnings = (...words: string[]): string[] => {
    const rows = report(trace, 'path-traces', ...words).rows;
    const own = rows.filter(({ kind, type }) => kind === 'heap' && type === 'count_t[]');
    return own.map((row) => `${row.allocatedBy} ${briefSite(row.allocatedAt)}`);
  };
  expect(beginnings()).toEqual(['main wrappers.c:19']);
  expect(beginnings('--innermost')).toEqual(['allocate_counts wrappers-alloc.c:17']);
});

it('has a row for each in the data profile, and tells rows of one line apart by their callers', () => {
  const trace = record(build('wrappers.c', ['-O2', '-fno-vectorize', HELPERS]));
  const rows = report(trace, 'data-profile').rows.filter(({ site }) => site !== null);
  const names = rows.map(({ receiver, site }) => `${receiver} ${briefSite(site)}`);
  expect(names).toEqual(expect.arrayContaining(['u wrappers.c:16', 'v wrappers.c:17', 'cells wrappers-alloc.c:56']));
  expect(new Set(names).size).toBe(names.length);
  const text = outputOf(['report', trace, '--view', 'miss-classification', '--by', 'site']).split('\n');
  const callers = text.flatMap((line) => / cells +wrappers-alloc\.c:56 +(\S+) /.exec(line)?.[1] ?? []);
  // By their misses, and by DProf's rule.
  expect(callers.sort()).toEqual(['wrappers.c:25', 'wrappers.c:25', 'wrappers.c:26', 'wrappers.c:26']);
});

describe.each(['-O0', '-O2'])('in C++ at %s', (level) => {
  it('names the variable or field that has the memory, a constructor being code of its own', () => {
    const trace = record(build('owners.cc', [level, '-fno-vectorize']));
    expect(received(trace, 4096 * 8)).toEqual([
      '1 a owners.cc:37',
      '1 b owners.cc:39',
      '1 data owners.cc:8',
      '1 p owners.cc:40',
      '1 q owners.cc:41',
      '1 r owners.cc:43',
      '1 t owners.cc:46',
      '1 values owners.cc:15',
      '1 w owners.cc:48',
    ]);
  });
});
