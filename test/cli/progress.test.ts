// Stage: test. What the progress line says: only what was replayed is spelled as references.

import { expect, test, vi } from 'vitest';
import { describeProgress, ProgressLine, type ProgressOptions } from '../../src/cli/progress.js';
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

/** What is written while `seconds` pass, the seconds of each line. */
function linesIn(seconds: number, options: ProgressOptions, wish = ''): string[] {
  vi.useFakeTimers();
  vi.stubEnv('DPROF_PROGRESS', wish);
  try {
    const written: string[] = [];
    const line = new ProgressLine((at) => `${at.toFixed(2)} s`, { ...options, write: (text) => written.push(text) });
    vi.advanceTimersByTime(seconds * 1000);
    line.stop();
    vi.advanceTimersByTime(60_000);
    return written;
  } finally {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  }
}

test('a log gets a line every ten seconds, and sooner where it was asked for', () => {
  const log = { isTerminal: false };
  expect(linesIn(9.9, log)).toEqual([]);
  expect(linesIn(35, log)).toEqual(['10.00', '20.00', '30.00'].map((at) => `dprof: ${at} s\n`));
  expect(linesIn(35, log, '0')).toEqual([]);
  expect(linesIn(0.9, log, '1')).toEqual([]);
  expect(linesIn(6, log, '1')).toEqual(linesIn(6, { ...log, isAsked: true }));
  expect(linesIn(6, { ...log, isAsked: true })).toEqual(['1.00', '3.00', '5.00'].map((at) => `dprof: ${at} s\n`));
});

test('a terminal gets one line, which is rewritten and goes at the end', () => {
  expect(linesIn(1.6, { isTerminal: true })).toEqual([
    ...['1.00', '1.25', '1.50'].map((at) => `\rdprof: ${at} s\x1b[K`),
    '\r\x1b[K',
  ]);
});
