// Stage: test. Twenty recordings each of three programs with four threads, half of them on one CPU: one number, or
// marked.

import { expect, it } from 'vitest';
import { recordings, sharingOf, unmarked } from './handed-on.js';

it.each([
  { source: 'counters.cc', type: 'Counters' },
  { source: 'trees.cc', type: 'Tally' }, // four heaps of its threads
  { source: 'messages.cc', type: 'Box' }, // blocks that other threads free, behind locks
])('20 recordings of $source give one number, or say what may differ', ({ source, type }) => {
  const all = recordings(source, 20);
  expect(unmarked(all)).toEqual([]);
  expect(sharingOf(all, type)).toHaveLength(1);
  if (source !== 'messages.cc') expect(new Set(all.map(({ instructions }) => instructions)).size).toBe(1);
  console.log(
    source,
    all.map(({ sharing, renamed }) => `${sharing.get(type)!.misses}/${renamed.allocations}`).join(' '),
  );
});
