// Confidence intervals of numbers that were drawn: counts, shares and means, at 95 %. docs/sampled-views.md defines
// which number has which.

export const CONFIDENCE = 0.95;
/** 97.5 % of the normal distribution lie below it. */
const Z = 1.959963984540054;
const TAIL = 0.025;
/** With fewer samples, the distribution of a count is not normal. */
const FEW_SAMPLES = 30;
const STEPS = 60;

export type Interval = readonly [low: number, high: number];

/**
 * The interval of a sum of periods; `variance` is the sum of their squares. `period` is what one sample stands for, and
 * is used if no sample was drawn.
 */
export function countInterval(estimate: number, variance: number, period: number): Interval {
  if (variance <= 0) return [0, period * poissonHigh(0)];
  const samples = (estimate * estimate) / variance;
  if (samples >= FEW_SAMPLES) {
    const half = Z * Math.sqrt(variance);
    return [Math.max(0, estimate - half), estimate + half];
  }
  const each = variance / estimate;
  return [each * poissonLow(samples), each * poissonHigh(samples)];
}

/** Wilson's, of a share that was drawn so often; `draws` need not be whole. null: nothing was drawn. */
export function shareInterval(share: number, draws: number): Interval | null {
  if (!(draws > 0)) return null;
  const own = Math.min(1, Math.max(0, share));
  const middle = (own + Z ** 2 / (2 * draws)) / (1 + Z ** 2 / draws);
  const half = shareHalfWidth(own, draws);
  // At 0 and 1 the bound is the share itself, which rounding may miss.
  return [Math.max(0, Math.min(own, middle - half)), Math.min(1, Math.max(own, middle + half))];
}

/** Half the width of Wilson's interval, which has a middle of its own. */
export function shareHalfWidth(share: number, draws: number): number {
  return (Z * Math.sqrt((share * (1 - share)) / draws + Z ** 2 / (4 * draws ** 2))) / (1 + Z ** 2 / draws);
}

/** A mean as the ratio of two sums over samples. */
export interface RatioSums {
  readonly mean: number;
  /** `squares` sums the squares of the dividend's terms; `products` sums their products with the divisor's terms. */
  readonly squares: number;
  readonly products: number;
  readonly divisorSquares: number;
  readonly divisor: number;
  readonly samples: number;
}

export function varianceOfMean({ mean, squares, products, divisorSquares, divisor, samples }: RatioSums): number {
  if (samples < 2) return 0;
  return (
    (Math.max(0, squares - 2 * mean * products + mean ** 2 * divisorSquares) / divisor ** 2) * (samples / (samples - 1))
  );
}

/** The interval of a mean whose variance is known; null for a single sample, which does not tell its variance. */
export function meanInterval(mean: number, variance: number, samples: number): Interval | null {
  if (samples < 2) return null;
  const half = Z * Math.sqrt(Math.max(0, variance));
  return [Math.max(0, mean - half), mean + half];
}

/** Garwood's bounds of a Poisson count's mean; counts may have fractions, as sums of unequal periods come to. */
export function poissonLow(count: number): number {
  return count <= 0 ? 0 : solve((mean) => lowerGamma(count, mean) - TAIL, 0, count);
}

export function poissonHigh(count: number): number {
  return solve((mean) => lowerGamma(count + 1, mean) - (1 - TAIL), count, count + 6 * Math.sqrt(count + 4));
}

/** The place between `low` and `high` where a rising function is 0. */
function solve(rising: (at: number) => number, low: number, high: number): number {
  let [from, to] = [low, high];
  for (let step = 0; step < STEPS; step++) {
    const middle = (from + to) / 2;
    if (rising(middle) < 0) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/** The regularised incomplete gamma function P(a, x), by its series. */
function lowerGamma(a: number, x: number): number {
  if (x <= 0) return 0;
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-16; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * Math.exp(a * Math.log(x) - x - logGamma(a + 1));
}

/** Lanczos' approximation, good to 15 digits for a >= 1. */
function logGamma(a: number): number {
  const [first, ...others] = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const series = others.reduce((sum, factor, index) => sum + factor / (a + index), first);
  const base = a + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (a - 0.5) * Math.log(base) - base + Math.log(series);
}

/** The value that `share` of all values lie below, by linear interpolation; the values must ascend. */
function quantile(ascending: ArrayLike<number>, share: number): number {
  const at = share * (ascending.length - 1);
  const below = Math.floor(at);
  const above = Math.min(ascending.length - 1, below + 1);
  return ascending[below] + (at - below) * (ascending[above] - ascending[below]);
}

/** The interval that holds 95 % of the values of a repeated experiment. */
export function quantileInterval(values: readonly number[]): Interval {
  const ascending = Float64Array.from(values).sort();
  return [quantile(ascending, TAIL), quantile(ascending, 1 - TAIL)];
}
