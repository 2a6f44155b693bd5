// One example compiled both ways; all of them, and real programs: `node dist/test/real/loops.js`.
import { expect, test } from 'vitest';
import { compareBothWays } from './loops-comparison.js';
import { compiled } from './real-program.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

test('striped-table_WithLoopsRecordedOnceAndEach_RecordsTheSame', () => {
  const { records, fault } = compareBothWays(
    compiled('examples/striped-table/striped-table.cpp', '-lstdc++'),
    'table',
    [],
    makeTemporaryFolder('loops'),
  );
  expect(fault).toBeUndefined();
  expect(records).toBeGreaterThan(200_000);
});
