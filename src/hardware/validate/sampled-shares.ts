// Stage: validation. One sampler's samples, or every n-th of them -> each type's share of a measure, and how far those
// are from the exact ones.

import type { NamedSamples } from './draw-samples.js';
import { rankCorrelation } from './rank-correlation.js';

/**
 * Shares of what: references, L1 misses, estimated cycles, references that another core's cache served (what `perf c2c`
 * calls HITM, and looks at).
 */
export const MEASURES = ['references', 'misses', 'cycles', 'transfers'] as const;
export type Measure = (typeof MEASURES)[number];

export const MOST_FINDINGS = 10;

/** Two-sided 95 % of a normal distribution. */
const STANDARD_ERRORS = 1.96;

/** By type; those without a share are not in it. */
export type Shares = ReadonlyMap<string, number>;

export interface SampledShares {
  /** Those that say something of the measure: of misses, those that missed. */
  readonly samples: number;
  /** As many samples of one weight would say as much: (sum of weights)² / sum of squared weights. */
  readonly effectiveSamples: number;
  readonly shares: Shares;
}

export interface Accuracy {
  /** Samples that say something of the measure: of misses, those that missed. */
  readonly samples: number;
  /** The largest difference, in points, among the types with the largest exact shares. */
  readonly worstPoints: number | null;
  /** null, as the differences: no sample says anything. */
  readonly worstType: string | null;
  /** Half the sum of all differences, in points: what would have to be moved from type to type. */
  readonly distancePoints: number | null;
  /** Spearman's, over all types that have a share in either. null: no sample, or nothing to rank. */
  readonly rankCorrelation: number | null;
  /** The types with the largest exact shares that are not among as many largest of the samples. */
  readonly lost: readonly string[];
}

/** The weight of a sample: drawing by latency has counted the cycles already. */
function weightOf(
  { weight, isMiss, isTransfer, latency }: NamedSamples,
  sample: number,
  measure: Measure,
  byLatency: boolean,
): number {
  if (measure === 'misses') return isMiss[sample] * weight[sample];
  if (measure === 'transfers') return isTransfer[sample] * weight[sample];
  return measure === 'cycles' && !byLatency ? latency[sample] * weight[sample] : weight[sample];
}

/** Every `oneIn`th sample: what as many times the period would have drawn. */
export function shareSamples(
  own: NamedSamples,
  types: readonly string[],
  measure: Measure,
  oneIn: number,
  byLatency: boolean,
): SampledShares {
  const weights = new Float64Array(types.length);
  let [samples, sum, squares] = [0, 0, 0];
  for (let sample = oneIn - 1; sample < own.type.length; sample += oneIn) {
    const weight = weightOf(own, sample, measure, byLatency);
    if (weight === 0) continue;
    samples++;
    sum += weight;
    squares += weight * weight;
    weights[own.type[sample]] += weight;
  }
  return {
    samples,
    effectiveSamples: samples === 0 ? 0 : sum ** 2 / squares,
    shares: shareOut(types.map((type, row) => [type, weights[row]])),
  };
}

export function shareOut(amounts: readonly (readonly [type: string, amount: number])[]): Shares {
  const all = amounts.reduce((sum, [, amount]) => sum + amount, 0);
  return new Map(amounts.filter(([, amount]) => amount > 0).map(([type, amount]) => [type, amount / all]));
}

/** Types by share, largest first, then by name: as many as are findings. */
export function findLargest(shares: Shares): string[] {
  return [...shares]
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .slice(0, MOST_FINDINGS)
    .map(([type]) => type);
}

/** 95 of 100 times, samples drawn alike are off by no more, in points. null: no samples. */
export function chancePoints(share: number, effectiveSamples: number): number | null {
  return effectiveSamples === 0 ? null : 100 * STANDARD_ERRORS * Math.sqrt((share * (1 - share)) / effectiveSamples);
}

export function judge(exact: Shares, { samples, shares: said }: SampledShares): Accuracy {
  const findings = findLargest(exact);
  if (samples === 0)
    return { samples, worstType: null, worstPoints: null, distancePoints: null, rankCorrelation: null, lost: findings };
  const points = (type: string): number => 100 * Math.abs((said.get(type) ?? 0) - (exact.get(type) ?? 0));
  const [worstType = null] = [...findings].sort((a, b) => points(b) - points(a));
  const all = [...new Set([...exact.keys(), ...said.keys()])];
  const shown = new Set(findLargest(said));
  return {
    samples,
    worstType,
    worstPoints: worstType === null ? 0 : points(worstType),
    distancePoints: all.reduce((sum, type) => sum + points(type) / 2, 0),
    rankCorrelation: rankCorrelation(
      all.map((type) => exact.get(type) ?? 0),
      all.map((type) => said.get(type) ?? 0),
    ),
    lost: findings.filter((type) => !shown.has(type)),
  };
}
