// One time of stamps and of samples: a line through two moments, or a rate through one; each refusal.

import { expect, test } from 'vitest';
import type { OpenedTrace } from '../../../src/replay/open-trace.js';
import { requireOverlap, traceClock } from '../../../src/hardware/validate/trace-clock.js';

const FILES = { trace: 'run.dptrace', samples: 'run.dpsamples' };
const trace = (start: unknown, end: unknown, isWhole = true) =>
  ({
    process: { command: [], executable: '', clock: start },
    end: isWhole ? { clock: end } : null,
    header: { stampsPerSecond: 3_000_000_000 },
  }) as unknown as OpenedTrace;
const START = { stamp: '1000000', monotonicNs: '5000000000' };
const END = { stamp: '2001000000', monotonicNs: '6000000000' };

test('two moments make a line', () => {
  const clock = traceClock(trace(START, END), 1, FILES);
  expect([
    clock.toStamp(5_000_000_000n),
    clock.toStamp(5_500_000_000n),
    clock.toStamp(6_000_000_000n),
    clock.toStamp(4_999_999_990n),
  ]).toEqual([1_000_000n, 1_001_000_000n, 2_001_000_000n, 999_980n]);
});

test('a truncated trace has one, and its rate', () => {
  const clock = traceClock(trace(START, null, false), 1, FILES);
  expect([clock.toStamp(6_000_000_000n), clock.endNs]).toEqual([3_001_000_000n, null]);
});

test.each([
  [-1, "perf's own clock"],
  [0, 'CLOCK_REALTIME'],
  [4, 'CLOCK_MONOTONIC_RAW'],
  [99, 'clock 99'],
])('clock %d is refused', (clock, name) =>
  expect(() => traceClock(trace(START, END), clock, FILES)).toThrow(
    `the times of run.dpsamples are of ${name}, which can not be laid beside the time stamps of run.dptrace`,
  ),
);

test.each([
  undefined,
  null,
  7,
  {},
  { stamp: 1, monotonicNs: 2 },
  { stamp: '1', monotonicNs: 'x' },
  { stamp: '99999999999999999999', monotonicNs: '1' },
])('a trace that says %j is refused', (clock) =>
  expect(() => traceClock(trace(clock, END), 1, FILES)).toThrow(
    'run.dptrace does not say what its time stamps are by the monotonic clock',
  ),
);

test('two times are refused, with both', () => {
  const clock = traceClock(trace(START, END), 1, FILES);
  expect(() => requireOverlap(clock, 7_000_000_000n, 8_250_000_000n, FILES)).toThrow(
    'run.dpsamples and run.dptrace are of two times: 7.000 to 8.250 s, and 5.000 to 6.000 s of the monotonic clock',
  );
  expect(() => requireOverlap(clock, 1n, 3_999_999_999n, FILES)).toThrow('of two times');
  expect(() => requireOverlap(clock, 1n, 5_000_000_001n, FILES)).not.toThrow();
  expect(() =>
    requireOverlap(traceClock(trace(START, null, false), 1, FILES), 7_000_000_000n, 8_000_000_000n, FILES),
  ).not.toThrow();
});
