// Stage: bench. Numbers of repeated runs -> what is printed: medians, ratios and shares.

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('a median needs at least one value');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The values must be positive. */
export function geometricMean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('a mean needs at least one value');
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

export function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? `none of 0` : `${((100 * part) / whole).toFixed(1)} % of ${formatCount(whole)}`;
}

/** "12.34 %". */
export function formatPercent(part: number, whole: number): string {
  return whole === 0 ? 'none of 0' : `${((100 * part) / whole).toFixed(2)} %`;
}

/** 1234567 -> "1.23 M": three digits that matter. */
export function formatCount(count: number): string {
  const units: readonly [number, string][] = [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ];
  for (const [size, unit] of units) if (count >= size) return `${(count / size).toPrecision(3)}${unit}`;
  return `${count}`;
}

/** A draw that a seed settles (xorshift32): numbers in [0, 1). */
export function seededDraw(seed: number): () => number {
  // Spread first: small seeds would begin with small numbers.
  let state = Math.imul(seed, 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** "2.36 x", "55 x". */
export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} x`;
}
