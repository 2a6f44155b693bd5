// Stage: test. Parts of paths that were drawn by hand, and the paths that they must make.

import { expect, test } from 'vitest';
import { mergePaths } from '../../../src/hardware/histories/merge-paths.js';
import { viewHistories } from '../../../src/hardware/histories/history-view.js';
import { drawHistories, spellPaths } from './drawn-histories.js';

function merged(
  watches: readonly (readonly number[])[],
  lines: readonly string[],
  frees?: readonly number[],
  sets?: number,
): string[] {
  const histories = drawHistories(watches, lines, frees);
  return spellPaths(histories, mergePaths(histories, 0, sets));
}

test('where registers see all of an object, a history is a path', () => {
  expect(merged([[0, 1]], ['0: 0 a, 1 b', '0: 0 a, 1 b', "0: 1 b, 0 a'"])).toEqual(['2: 0 a, 1 b', "1: 1 b, 0 a'"]);
});

test('a loop over fields is one step for each of its instructions', () => {
  expect(merged([[0, 1]], ['0: 0 a, 1 b, 0 a, 1 b, 0 a, 1 b', '0: 0 a, 1 b'])).toEqual(['2: 0 a x2, 1 b x2']);
});

test('objects that are freed in two places are on two paths', () => {
  expect(merged([[0]], ['0: 0 a', '0: 0 a', '0: 0 a'], [2, 3, 2])).toEqual(['2: 0 a', '1: 0 a']);
});

test('pairwise: parts that agree on the slot they share are one path, in an order that all of them keep', () => {
  const watches = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  expect(merged(watches, ['0: 0 a, 1 b', '1: 2 c, 0 a', '2: 2 c, 1 b'])).toEqual(['3: 2 c, 0 a, 1 b']);
});

test('pairwise: two paths that differ in one slot stay two', () => {
  const watches = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  const one = ['0: 0 a, 1 b', '1: 0 a, 2 c', '2: 1 b, 2 c'];
  const other = ['0: 0 x, 1 b', '1: 2 c, 0 x', '2: 2 c, 1 b'];
  expect(merged(watches, [...one, ...one, ...other])).toEqual(['6: 0 a, 1 b, 2 c', '3: 2 c, 0 x, 1 b']);
});

test('pairwise: a part that contradicts the order is no part of the path', () => {
  const watches = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  expect(merged(watches, ['0: 0 a, 1 b', '1: 1 z', '1: 2 c, 0 a', '2: 1 b, 2 c'])).toContain('2?: 2 c, 0 a, 1 b');
});

test('what only one watch has seen yet is a path of which not all is known', () => {
  expect(
    merged(
      [
        [0, 1],
        [0, 2],
        [1, 2],
      ],
      ['0: 0 a, 1 b'],
    ),
  ).toEqual(['1?: 0 a, 1 b']);
});

test('single-offset: parts of different slots are paired by how often they were seen', () => {
  const lines = ['0: 0 a', '0: 0 a', '0: 0 x', '1: 1 b', '1: 1 b', '1: 1 y'];
  expect(merged([[0], [1]], lines)).toEqual(['4: 0 a, 1 b', '2: 0 x, 1 y']);
});

test('the curve: as many paths as the first sets find', () => {
  const histories = drawHistories([[0]], ['0: 0 a', '0: 0 a', '0: 0 b', '0: 0 a', '0: 0 c']);
  expect(viewHistories(histories).curves).toEqual([
    { type: 'struct drawn', points: [1, 1, 2, 2, 3].map((paths, index) => ({ sets: index + 1, paths })) },
  ]);
});

test('the order of the histories changes nothing', () => {
  const watches = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  const lines = ['0: 0 a, 1 b', '1: 0 a, 2 c', '2: 1 b, 2 c', '0: 0 x', '1: 2 c, 0 x', '2: 2 c'];
  const forward = merged(watches, lines);
  expect(forward).toEqual(['3: 0 a, 1 b, 2 c', '3: 2 c, 0 x']);
  expect(merged(watches, lines.toReversed())).toEqual(forward);
});
