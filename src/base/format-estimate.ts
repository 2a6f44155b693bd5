// Stage: all. Estimates as people read them: "~1.23M ±4%", three digits, since more would say what nobody knows.

import { boundsOf, type Estimate } from './estimate.js';
import { formatBytes } from './format-number.js';
import type { Interval } from './intervals.js';

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

/** 1,234,567 as 1.23M. */
export function formatBrief(value: number): string {
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 999.5 && unit < UNITS.length - 1) {
    scaled /= 1000;
    unit++;
  }
  const digits =
    unit === 0 && Number.isInteger(value) ? 0 : Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)}${UNITS[unit]}`;
}

/** null: no sample can say it. What no sample met reads as what it is below. */
export function formatEstimate(estimate: Estimate | null): string {
  if (estimate === null) return '-';
  const { value, high } = estimate;
  if (value === 0) return high === null ? '~0' : `<${formatBrief(high)}`;
  const bounds = boundsOf(estimate);
  return `~${formatBrief(value)}${bounds ? ` ${formatBounds(value, bounds)}` : ''}`;
}

/** In percent of the value; both sides where they differ, as those of few samples do. */
function formatBounds(value: number, [low, high]: Interval): string {
  const [below, above] = [value - low, high - value].map((side) => Math.round((100 * side) / value));
  return below === above ? `±${above}%` : `-${below}+${above}%`;
}

/** "~45.2% ±3.1": points of percent, the larger side; both, where one is much larger. */
export function formatEstimatedShare(estimate: Estimate | null): string {
  if (estimate === null) return '-';
  const { value: share } = estimate;
  const interval = boundsOf(estimate);
  if (interval === null) return `~${(100 * share).toFixed(1)}%`;
  if (share === 0) return `<${(100 * interval[1]).toFixed(1)}%`;
  const [below, above] = [100 * (share - interval[0]), 100 * (interval[1] - share)];
  const bounds =
    Math.max(below, above) > 1.5 * Math.min(below, above)
      ? `-${below.toFixed(1)}+${above.toFixed(1)}`
      : `±${Math.max(below, above).toFixed(1)}`;
  return `~${(100 * share).toFixed(1)}% ${bounds}`;
}

/** "~111 ±25". */
export function formatMean(estimate: Estimate | null): string {
  if (estimate === null) return '-';
  const { value: mean, high } = estimate;
  const digits = mean < 100 ? 1 : 0;
  return `~${mean.toFixed(digits)}${high === null ? '' : ` ±${(high - mean).toFixed(digits)}`}`;
}

/** "~1.5 KiB ±4%". */
export function formatEstimatedBytes(estimate: Estimate): string {
  const bounds = boundsOf(estimate);
  const { value } = estimate;
  return `~${formatBytes(value)}${bounds === null || value === 0 ? '' : ` ${formatBounds(value, bounds)}`}`;
}

/** "~12.3 11.9-12.7": both bounds, as those of repetitions lie anywhere. */
export function formatBetween(estimate: Estimate): string {
  const { value } = estimate;
  const [low, high] = (boundsOf(estimate) ?? [value, value]).map(formatBrief);
  return low === high ? `~${formatBrief(value)}` : `~${formatBrief(value)} ${low}-${high}`;
}

/** "350 ns", "1.25 ms". */
export function formatTime(nanoseconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'us'],
  ];
  const [size, unit] = units.find(([least]) => nanoseconds >= least) ?? [1, 'ns'];
  return size === 1 ? `${Math.round(nanoseconds)} ns` : `${(nanoseconds / size).toPrecision(3)} ${unit}`;
}
