// Rank correlations by hand.

import { expect, test } from 'vitest';
import { rankCorrelation } from '../../../src/hardware/validate/rank-correlation.js';

test.each([
  ['one order', [1, 5, 9, 20], [2, 3, 4, 100], 1],
  ['backwards', [1, 5, 9, 20], [4, 3, 2, 1], -1],
  // 1 - 6 · (1 + 1) / (4 · 15)
  ['two swapped', [1, 2, 3, 4], [1, 2, 4, 3], 0.8],
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / √(4.5 · 5).
  ['a tie', [1, 2, 2, 3], [1, 2, 3, 4], Math.sqrt(0.9)],
  ['the same ties', [0, 0, 1], [3, 3, 8], 1],
] as const)('%s', (_, first, second, expected) => expect(rankCorrelation(first, second)).toBeCloseTo(expected, 12));

test.each([
  [[], []],
  [[1], [2]],
  [
    [1, 1, 1],
    [1, 2, 3],
  ],
])('no correlation of %j and %j', (first, second) => expect(rankCorrelation(first, second)).toBeNull());
