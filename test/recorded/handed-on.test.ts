// Stage: test. A sample of handed-on.proof.ts: a program whose threads ended one after another says the same as one
// whose threads ran side by side.

import { expect, it } from 'vitest';
import { recordings, sharingOf, unmarked } from './handed-on.js';

it('four counters on one line are falsely shared as often, whether a CPU ran their threads in turns or not', () => {
  const all = recordings('counters.cc', 4);
  expect(all.map(({ isOnOneCpu, falseSharing }) => [isOnOneCpu, falseSharing])).toEqual([
    [false, 79_979],
    [true, 79_979],
    [false, 79_979],
    [true, 79_979],
  ]);
  for (const { running, instructions } of all) {
    expect(instructions).toBe(120_229);
    expect(running.find(({ threads }) => threads === 4)).toEqual({ threads: 4, instructions: 119_885 });
  }
  expect(sharingOf(all, 'Counters')).toEqual([79_979]);
  expect(unmarked(all)).toEqual([]);
});
