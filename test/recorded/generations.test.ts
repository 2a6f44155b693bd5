// Stage: test. Threads that meet at a barrier again and again wait for those of their generation, whoever wakes late.
import { expect, test } from 'vitest';
import { build, record, report } from './recorded.js';

const [THREADS, ROUNDS, COUNTS] = [4, 20, 1000];

test('between two meetings at a barrier threads run side by side', () => {
  const program = build('generations.c', ['-O1', '-g']);
  const reports = [1, 2, 3].map(() => report(record(program, []), 'miss-classification') as any);
  const falseSharing = reports.map(({ totals }) => totals.levels.l1.classes['false-sharing']);
  // Each load finds the line taken by the others' stores, but for those that a round begins with.
  for (const count of falseSharing) expect(count).toBeGreaterThan(0.95 * THREADS * ROUNDS * COUNTS);
  expect(new Set(falseSharing).size).toBe(1);
});
