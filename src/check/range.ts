// Stage: check. A number under several orders of threads: the lowest and the highest.

export type Range = readonly [low: number, high: number];

/** As it is kept, and compared: no more digits than a person would look at. */
const DIGITS = 1e6;

export function rangeOf(values: readonly number[]): Range {
  const kept = values.map((value) => Math.round(value * DIGITS) / DIGITS);
  return [Math.min(...kept), Math.max(...kept)];
}

export function isOne([low, high]: Range): boolean {
  return low === high;
}
