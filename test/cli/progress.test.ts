// Stage: test. What the progress line says: only what was replayed is spelled as references.

import { expect, test } from 'vitest';
import { describeProgress } from '../../src/cli/progress.js';
import { replaySideBySide } from '../../src/replay/side-by-side.js';

test.each([
  [-250_000, 1_000_000, 2, 'looking for what threads share first (25%), 2 s'],
  [-250_000, 0, 2, 'looking for what threads share first, 2 s'],
  [500_000, 1_000_000, 4, '500,000 of about 1,000,000 (50%) references, 0.1 million/s, 4 s'],
  [3_000_000, 0, 1, '3,000,000 references, 3.0 million/s, 1 s'],
])('%d of %d after %d s', (done, total, seconds, text) => {
  expect(describeProgress(done, total, seconds)).toBe(text);
});

test(
  'of two replays that are under way, what one is still looking at is not taken from what the other has ' + 'replayed',
  async () => {
    const progress = new SharedArrayBuffer(16);
    const shown = new Float64Array(progress);
    const told: number[][] = [];
    await replaySideBySide([1, 1], 1, progress, async ({ index, onProgress }) => {
      onProgress(-40, 100);
      told.push([...shown]);
      if (index === 0) onProgress(100, 100);
    });
    expect(told).toEqual([
      [-40, 200],
      [100, 200],
    ]);
  },
);
