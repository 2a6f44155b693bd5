// Stage: validation. A trace's stamps and the clock of samples -> one time. Traces know the monotonic clock at their
// beginning and end; of perf's own clock nobody but the kernel knows where it stands.

import { DprofError } from '../../base/dprof-error.js';
import type { OpenedTrace } from '../../replay/open-trace.js';

const MONOTONIC = 1;
const NANOSECONDS = 1_000_000_000n;
const CLOCKS: Readonly<Record<number, string>> = {
  [-1]: "perf's own clock",
  0: 'CLOCK_REALTIME',
  4: 'CLOCK_MONOTONIC_RAW',
  7: 'CLOCK_BOOTTIME',
  11: 'CLOCK_TAI',
};
const HINT = 'record both at once, the samples with: perf record -k CLOCK_MONOTONIC';

interface Moment {
  readonly stamp: bigint;
  readonly ns: bigint;
}

export interface TraceClock {
  toStamp(ns: bigint): bigint;
  /** Beginning and end of the run, in nanoseconds; null: truncated. */
  readonly startNs: bigint;
  readonly endNs: bigint | null;
  readonly start: bigint;
}

export function traceClock(
  { process, end, header }: Pick<OpenedTrace, 'process' | 'end' | 'header'>,
  clock: number,
  named: { readonly trace: string; readonly samples: string },
): TraceClock {
  if (clock !== MONOTONIC)
    throw new DprofError(
      `the times of ${named.samples} are of ${CLOCKS[clock] ?? `clock ${clock}`}, which can not be laid beside ` +
        `the time stamps of ${named.trace}`,
      HINT,
    );
  const first = momentOf(process.clock);
  if (first === null)
    throw new DprofError(
      `${named.trace} does not say what its time stamps are by the monotonic clock`,
      'it was recorded by an older dprof; record again',
    );
  const last = end === null ? null : momentOf(end.clock);
  const isLine = last !== null && last.ns > first.ns && last.stamp > first.stamp;
  const [stamps, ns] = isLine
    ? [last.stamp - first.stamp, last.ns - first.ns]
    : [BigInt(Math.round(header.stampsPerSecond)), NANOSECONDS];
  return {
    toStamp: (at) => first.stamp + ((at - first.ns) * stamps) / ns,
    startNs: first.ns,
    endNs: last?.ns ?? null,
    start: first.stamp,
  };
}

function momentOf(said: unknown): Moment | null {
  const { stamp, monotonicNs } = (said ?? {}) as { stamp?: unknown; monotonicNs?: unknown };
  const isNumber = (text: unknown): text is string => typeof text === 'string' && /^\d{1,19}$/.test(text);
  return isNumber(stamp) && isNumber(monotonicNs) ? { stamp: BigInt(stamp), ns: BigInt(monotonicNs) } : null;
}

/** Refused where none of the samples lies in the run. */
export function requireOverlap(
  { startNs, endNs }: TraceClock,
  firstNs: bigint,
  lastNs: bigint,
  { trace, samples }: { readonly trace: string; readonly samples: string },
): void {
  // A recorder begins a moment after its program.
  const isBefore = lastNs + NANOSECONDS < startNs;
  if (!isBefore && (endNs === null || firstNs <= endNs)) return;
  throw new DprofError(
    `${samples} and ${trace} are of two times: ${spell(firstNs)} to ${spell(lastNs)} s, and ${spell(startNs)} ` +
      `to ${endNs === null ? '?' : spell(endNs)} s of the monotonic clock`,
    HINT,
  );
}

function spell(ns: bigint): string {
  return `${ns / NANOSECONDS}.${String(ns % NANOSECONDS)
    .padStart(9, '0')
    .slice(0, 3)}`;
}
