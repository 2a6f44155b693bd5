// One example compiled both ways; all of them, and real programs: `node dist/test/real/loops.js`.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { BOTH_WAYS, compareBothWays, LAYOUT } from './loops-comparison.js';
import { ROOT, run, scratchFolder } from './real-program.js';

test('striped-table_WithLoopsRecordedOnceAndEach_RecordsTheSame', () => {
  const folder = scratchFolder();
  const programs = BOTH_WAYS.map(({ suffix, environment }) => {
    mkdirSync(resolve(folder, suffix));
    const program = resolve(folder, suffix, 'table');
    run(['env', ...environment, resolve(ROOT, 'bin/dprof-c++'), '-O2', '-g1', ...LAYOUT, '-pthread', resolve(ROOT, 'examples/striped-table/striped-table.cpp'), '-o', program]);
    return program;
  });
  const { records, fault } = compareBothWays(programs, []);
  expect(fault).toBeUndefined();
  expect(records).toBeGreaterThan(200_000);
});
