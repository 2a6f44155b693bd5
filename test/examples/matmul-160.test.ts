// Stage: test. The inner statement loads left[i][k] and right[k][j], N x N x N times; product[i][j] is stored once per
// (i, j); printf loads one product. The L1 misses for N = 160 (8 ways of 64 sets, matrices that start in set 0) are
// known from a fully associative oracle: 9,600 compulsory (three matrices of 3,200 lines), 508,800 capacity (right's
// 3,200 lines, 159 times again), 3,725,700 conflict. The independent reader goes over a smaller one, N = 40.
import { beforeAll, describe, expect, test } from 'vitest';
import { buildExample, record, report, workFolder, type Report } from './example-program.js';
import { describeExample } from './example-suite.js';

describeExample({
  name: 'matmul-160',
  flags: ['-DN=40'],
  references: () => ({ 'double[]': { left: [64_000, 0], right: [64_000, 0], product: [1, 1600] } }),
  finding: ({ row }) => {
    // 12,800 bytes each: 200 lines, all of them in the end; they fit the L1 together with nothing left over, but not
    // its sets.
    expect(row('double[]').levels.l1.classes).toMatchObject({ compulsory: 600, 'true-sharing': 0, 'false-sharing': 0 });
  },
});

describe('matmul-160 at full size', () => {
  let classification: Report;

  beforeAll(() => {
    const folder = workFolder('matmul-160-full');
    const trace = `${folder}/matmul-160.dptrace`;
    record(trace, [buildExample('matmul-160', 'dprof', ['-O2'], folder)]);
    classification = report(trace, 'miss-classification');
  });

  test('has 3,725,700 conflict, 508,800 capacity and 9,600 compulsory misses in the L1', () => {
    expect(classification.totals.levels.l1.classes).toEqual({
      compulsory: 9600,
      'true-sharing': 0,
      'false-sharing': 0,
      conflict: 3_725_700,
      capacity: 508_800,
    });
    expect(classification.totals.levels.l1.misses).toBe(4_244_100);
    expect(classification.totals.references).toBe(2 * 160 ** 3 + 160 ** 2 + 1);
  });

  test('names the matrices', () => {
    const loads = Object.fromEntries(classification.rows.map((row) => [row.field, row.references]));
    expect(loads).toMatchObject({
      left: { loads: 4_096_000, stores: 0 },
      right: { loads: 4_096_000, stores: 0 },
      product: { loads: 1, stores: 25_600 },
    });
  });
});
