// Stage: profile -> views. Sums of a sampled profile's estimates over tallies, each with its variance and the samples
// behind it, and the interval that follows.

import { estimateOf, type Estimate } from '../base/estimate.js';
import { countInterval, meanInterval, shareInterval, varianceOfMean, type Interval } from '../base/intervals.js';
import type { Profile } from '../profile/profile.js';
import {
  ESTIMATES,
  estimateIndex,
  LATENCIES,
  LATENCY_NAMES,
  SAMPLED_COUNTERS,
  type SampledPart,
} from '../profile/sampled.js';
import { COUNTERS } from '../contract/result.js';

export class EstimateSums {
  readonly #sums = new Float64Array(ESTIMATES.length);
  readonly #variance = new Float64Array(ESTIMATES.length);
  readonly #samples = new Float64Array(ESTIMATES.length);
  readonly #covariance = new Float64Array(LATENCY_NAMES.length);

  constructor(private readonly sampled: SampledPart) {}

  add({ tallies }: Profile, row: number): void {
    const { extra, variance, samples, covariance } = this.sampled.tallies;
    for (let at = 0; at < COUNTERS.length; at++) this.#sums[at] += tallies.counters[row * COUNTERS.length + at];
    for (let at = 0; at < SAMPLED_COUNTERS.length; at++)
      this.#sums[COUNTERS.length + at] += extra[row * SAMPLED_COUNTERS.length + at];
    for (let at = 0; at < ESTIMATES.length; at++) {
      this.#variance[at] += variance[row * ESTIMATES.length + at];
      this.#samples[at] += samples[row * ESTIMATES.length + at];
    }
    for (let at = 0; at < LATENCY_NAMES.length; at++)
      this.#covariance[at] += covariance[row * LATENCY_NAMES.length + at];
  }

  /** The sum of several estimates, none of which may share a sample with another. */
  get(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.#sums[estimateIndex(name)], 0);
  }

  samples(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.#samples[estimateIndex(name)], 0);
  }

  estimate(...names: readonly string[]): Estimate {
    return estimateOf(this.get(...names), this.interval(...names));
  }

  interval(...names: readonly string[]): Interval {
    return countInterval(this.get(...names), this.#varianceOf(names), this.#periodOf(names));
  }

  /** The interval of the share of `names` in `whole`. The samples of `whole` are all samples that were drawn. */
  share(names: readonly string[], whole: readonly string[], of: EstimateSums = this): Interval | null {
    const all = of.get(...whole);
    const variance = of.#varianceOf(whole);
    return variance === 0 ? null : shareInterval(this.get(...names) / all, all ** 2 / variance);
  }

  /** The average latency over the samples that say it, and its interval; null if no sample says it. */
  mean(name: keyof typeof LATENCIES): { readonly mean: number; readonly interval: Interval | null } | null {
    const of = LATENCIES[name];
    const divisor = this.get(of);
    if (divisor === 0) return null;
    const mean = this.get(name) / divisor;
    const samples = this.samples(of);
    const variance = varianceOfMean({
      mean,
      squares: this.#varianceOf([name]),
      products: this.#covariance[LATENCY_NAMES.indexOf(name)],
      divisorSquares: this.#varianceOf([of]),
      divisor,
      samples,
    });
    return { mean, interval: meanInterval(mean, variance, samples) };
  }

  #varianceOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.#variance[estimateIndex(name)], 0);
  }

  /** The period of a sample that was not drawn: the number of events that it would have stood for. */
  #periodOf(names: readonly string[]): number {
    const { loadPeriod, storePeriod } = this.sampled.facts;
    const [loads, stores] = [/loads$/i, /stores$/i].map((kind) => names.every((name) => kind.test(name)));
    return loads ? loadPeriod : stores ? storePeriod : Math.max(loadPeriod, storePeriod);
  }
}

/** By a key of the row, rows of key null left out. */
export function estimatesBy(
  profile: Profile,
  sampled: SampledPart,
  keys: (row: number) => readonly string[],
): Map<string, EstimateSums> {
  const sums = new Map<string, EstimateSums>();
  for (let row = 0; row < profile.tallies.type.length; row++) {
    for (const key of keys(row)) {
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = new EstimateSums(sampled)));
      sum.add(profile, row);
    }
  }
  return sums;
}
