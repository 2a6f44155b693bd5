// Loops that are recorded once make the references that they make when each iteration is recorded, in the same order.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DPROF_CC, PROGRAMS, record, WORK } from './recorded-program.js';
import { outputOf } from '../cli/command-client.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-loops-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Of memory that the program asked for at a fixed address; of its stack and globals, which lie elsewhere in each build,
 * kind and size.
 */
const ARENA = /^0 \w 1000[0-9a-f]{4} /;

function compile(level: string, once: boolean): string {
  const program = join(WORK, `loops${level}${once ? '-once' : ''}`);
  execFileSync(DPROF_CC, [...level.split(' '), join(PROGRAMS, 'loops.c'), '-o', program], {
    env: { ...process.env, DPROF_VERIFY: '1', DPROF_LOOPS: once ? '1' : '0' },
  });
  return program;
}

function references(program: string): string[] {
  const trace = join(folder, 'trace');
  outputOf(['record', '-o', trace, '--', program]);
  return outputOf(['dump', '--references', trace])
    .trimEnd()
    .split('\n')
    .map((line) => (ARENA.test(line) ? line : line.replace(/ [0-9a-f]+ /, ' elsewhere ')));
}

test.each(['-O0', '-O1', '-O2', '-O3', '-O3 -mavx2 -mfma', '-O2 -fno-unroll-loops -fno-vectorize'])(
  'the same references at %s',
  (level) => {
    const [each, once] = [references(compile(level, false)), references(compile(level, true))];
    expect(once.length).toBeGreaterThan(5000);
    expect(once).toEqual(each);
  },
);

describe('at -O1', () => {
  const { lines } = record(compile('-O1', true));
  const loopsOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`loop ${name} `)).map((line) => line.slice(6 + name.length));

  test('a loop over an array says its iterations and one address', () => {
    expect(loopsOf('forward')).toEqual([
      'iterations=1000 and 0 records words=2 of 1',
      'iterations=1 and 0 records words=2 of 1',
    ]);
  });
  test('a loop that is left early says how far it came', () => {
    expect(loopsOf('find')).toEqual([
      'iterations=322 and 0 records words=2 of 1',
      'iterations=1 and 0 records words=2 of 1',
      'iterations=1000 and 0 records words=2 of 1',
    ]);
  });
  test('a loop that is left in the middle of an iteration says after how many of its records', () => {
    expect(loopsOf('leave_anywhere')).toEqual([
      'iterations=7 and 1 records words=4 of 3',
      'iterations=9 and 2 records words=4 of 3',
      'iterations=50 and 0 records words=4 of 3',
    ]);
  });
  test('a stride that is known only when the program runs is a word', () => {
    expect(loopsOf('column')).toEqual([
      'iterations=40 and 0 records words=3 of 1',
      'iterations=1 and 0 records words=3 of 1',
    ]);
  });
  test('addresses a constant apart need one word', () => {
    expect(loopsOf('fields')).toEqual(['iterations=100 and 0 records words=2 of 5']);
  });
  test.each(['gathered', 'wraps', 'conditional', 'is_volatile'])('%s is recorded iteration by iteration', (name) => {
    expect(loopsOf(name)).toEqual([]);
    expect(lines.filter((line) => line.startsWith(`path ${name} `)).length).toBeGreaterThan(40);
  });
});
