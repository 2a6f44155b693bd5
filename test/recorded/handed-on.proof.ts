// Stage: test. Twenty recordings each of three programs with four threads, half of them on one CPU: one number, or
// marked.

import { expect, it } from 'vitest';
import { recordings, sharingOf, unmarked } from './handed-on.js';

it.each([
  { source: 'counters.cc', type: 'Counters' },
  { source: 'trees.cc', type: 'Tally' }, // thousands of blocks, each freed by its own thread
])('20 recordings of $source give one number, or say what may differ', ({ source, type }) => {
  const all = recordings(source, 20);
  expect(unmarked(all)).toEqual([]);
  expect(sharingOf(all, type)).toHaveLength(1);
  expect(new Set(all.map(({ instructions }) => instructions)).size).toBe(1);
});

it('20 recordings of messages.cc, where recorded locks decide who comes first, say so', () => {
  const all = recordings('messages.cc', 20);
  expect(unmarked(all)).toEqual([]);
  expect(all.map(({ sharing }) => sharing.get('Box')?.isOrderBound)).toEqual(all.map(() => true));
});
