// Stage: test. Histories drawn by hand, of which some fit several paths, and the frequencies that follow.

import { expect, test } from 'vitest';
import { mergePaths } from '../../../src/hardware/histories/merge-paths.js';
import { pathFrequencies } from '../../../src/hardware/histories/path-frequencies.js';
import { drawHistories } from './drawn-histories.js';

function frequencies(
  watches: readonly (readonly number[])[],
  lines: readonly (readonly [times: number, line: string])[],
): { shares: number[]; worth: number } {
  const histories = drawHistories(
    watches,
    lines.flatMap(([times, line]) => Array<string>(times).fill(line)),
  );
  const { shares, worth } = pathFrequencies(mergePaths(histories, 0));
  return { shares: shares.map((share) => Math.round(share * 1e6) / 1e6), worth: Math.round(worth * 1e6) / 1e6 };
}

test('where each history is one path, frequencies are shares of histories', () => {
  expect(
    frequencies(
      [[0]],
      [
        [6, '0: 0 a'],
        [2, '0: 0 b'],
        [1, '0: 0 c'],
      ],
    ),
  ).toEqual({ shares: [0.666667, 0.222222, 0.111111], worth: 9 });
  expect(frequencies([[0]], [[5, '0: 0 a']])).toEqual({ shares: [1], worth: 5 });
});

test('single-offset: slots that every object treats alike say nothing of which path it took', () => {
  // 3 to 1; of the second watch nothing is seen.
  expect(
    frequencies(
      [[0], [1], [2]],
      [
        [30, '0: 0 a'],
        [10, '0: 0 x'],
        [40, '1: '],
        [30, '2: 2 a'],
        [10, '2: 2 x'],
      ],
    ),
  ).toEqual({ shares: [0.75, 0.25], worth: 80 });
});

test('pairwise: a part of two paths counts for each as often as they are', () => {
  const lines = [
    [30, '0: 0 a, 1 b'],
    [10, '0: 0 x, 1 b'],
    [30, '1: 0 a, 2 c'],
    [10, '1: 0 x, 2 c'],
    [40, '2: 1 b, 2 c'],
  ] as const;
  expect(
    frequencies(
      [
        [0, 1],
        [0, 2],
        [1, 2],
      ],
      lines,
    ),
  ).toEqual({ shares: [0.75, 0.25], worth: 80 });
});

test('three paths, two of which one watch can not tell apart', () => {
  // The first watch: 20 of the first two, 20 of the third. The second: 30, 10 and, of the third, 40 of 80.
  const lines = [
    [40, '0: 0 a, 1 b'],
    [40, '0: 0 z, 1 b'],
    [30, '1: 0 a, 2 c'],
    [10, '1: 0 a, 2 x'],
    [40, '1: 0 z, 2 c'],
    [80, '2: 1 b'],
  ] as const;
  expect(frequencies([[0, 1], [0, 2], [1]], lines).shares).toEqual([0.5, 0.375, 0.125]);
});
