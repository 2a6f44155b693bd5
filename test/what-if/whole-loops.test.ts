// Loops that the native engine places at once are placed as the specification does it, one iteration after the other.

import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-loops-'));
const PROGRAM = join(FOLDER, 'loops');
const TRACE = `${PROGRAM}.dptrace`;

beforeAll(() => {
  const source = join(ROOT, 'test/what-if/programs/loops.c');
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', PROGRAM]);
  outputOf(['record', '-o', TRACE, '--', PROGRAM]);
});

function foretold(options: readonly string[], engine: string): string {
  const caches = ['--l1', '1K/2', '--l2', '4K/4', '--llc', '16K/8'];
  return outputOf(['what-if', TRACE, ...options, ...caches, '--engine', engine, '--format', 'json', '--no-cache']);
}

const SAMPLE = [
  [['--pad', 'struct point=+48', '--pad', 'struct grid=+64']],
  [['--reorder', 'struct point: mark,kind,weight,*']],
  [['--split', 'struct point: place,kind | *']],
  [['--narrow', 'struct point.place=4']],
  [['--per-thread', 'struct point: weight']],
  [['--pad-rows', 'grid/256=+64']],
  [['--pool', 'struct grid']],
  [['--allocator', 'glibc', '--align', 'struct point=32']],
];
/** Of changes that the sample has with others. */
const MORE = [[['--pad', 'struct point=+8']], [['--align', 'fixed=64']]];

test.each(atLength(SAMPLE, [...SAMPLE, ...MORE]))('%s', (options) => {
  const expected = foretold(options, 'ts');
  expect(foretold(options, 'native')).toBe(expected);
  const { totals } = JSON.parse(expected) as { totals: { references: { before: number; after: number } } };
  expect(totals.references.before).toBeGreaterThan(4000);
});
