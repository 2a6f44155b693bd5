// Stage: validation. A share p that samples say, and how many samples that was -> where the true one may lie, whether
// an exact one may be it, and how many samples would do. Samples of unequal weight count as so many equal ones as have
// the same variance: (Σw)² / Σw² (Kish).

import { shareHalfWidth } from '../../base/intervals.js';

const MISTAKEN = 0.05;
/** Above that many expected, the normal distribution is good enough for means. */
const MANY = 20;

/** Never more than there are, whatever a file says of their squares. */
export function effectiveSamples({
  samples,
  weight,
  weightSquares,
}: {
  readonly samples: number;
  readonly weight: number;
  readonly weightSquares: number;
}): number {
  const equal = weight ** 2 / weightSquares;
  return equal > 0 ? Math.min(samples, equal) : 0;
}

/**
 * Whether so many samples can not be of `exact`: of `comparisons` at once that are all true, one is called false in at
 * most 5 % of cases. By Chernoff's bound, which holds for any number of samples and the smallest shares: P(share or
 * further off) ≤ e^(-samples · divergence), so each may be as unlikely as 5 % / (2 · comparisons).
 */
export function isOutside(share: number, exact: number, samples: number, comparisons: number): boolean {
  return samples * divergence(share, exact) > Math.log((2 * comparisons) / MISTAKEN);
}

function divergence(share: number, exact: number): number {
  const part = (of: number, to: number): number => (of <= 0 ? 0 : to <= 0 ? Infinity : of * Math.log(of / to));
  return part(share, exact) + part(1 - share, 1 - exact);
}

export function isTooWide(share: number, samples: number, tolerance: number): boolean {
  return samples === 0 || shareHalfWidth(share, samples) > tolerance;
}

/** The fewest with which the interval of such a share reaches at most `tolerance` to either side of its middle. */
export function enoughSamples(share: number, tolerance: number): number {
  let [few, enough] = [0, 1];
  while (shareHalfWidth(share, enough) > tolerance) [few, enough] = [enough, 2 * enough];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (shareHalfWidth(share, middle) > tolerance) few = middle;
    else enough = middle;
  }
  return enough;
}

/** Half the sum of all differences: what would have to be moved. */
export function shareDistance(pairs: readonly (readonly [number, number])[]): number {
  return pairs.reduce((sum, [first, second]) => sum + Math.abs(first - second) / 2, 0);
}

/** That distance on average if samples are drawn by the exact shares: below it nothing but chance is seen. */
export function chanceDistance(exact: readonly number[], samples: number): number {
  if (samples < 1) return 1;
  const drawn = Math.round(samples);
  return exact.reduce((sum, share) => sum + meanDeviation(drawn, share) / (2 * drawn), 0);
}

/** E|X - np| of a binomial X: 2k·C(n,k)·p^k·(1-p)^(n-k+1) with k = ⌊np⌋ + 1 (de Moivre). */
function meanDeviation(samples: number, share: number): number {
  const expected = samples * share;
  if (share <= 0 || share >= 1) return 0;
  if (Math.min(expected, samples - expected) >= MANY) return Math.sqrt((2 * expected * (1 - share)) / Math.PI);
  if (share > 0.5) return meanDeviation(samples, 1 - share);
  const k = Math.floor(expected) + 1;
  let logarithm = Math.log(2 * k) + k * Math.log(share) + (samples - k + 1) * Math.log1p(-share);
  for (let factor = 1; factor <= k; factor++) logarithm += Math.log((samples - k + factor) / factor);
  return Math.exp(logarithm);
}
