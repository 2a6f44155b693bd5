// A seed for which engines differ, as text: how they differ, and the smallest case found that still does, drawn.

import type { RandomCases } from '../random/random-case.js';
import { drawCase } from './draw.js';
import type { Comparison } from './engines.js';
import { minimise } from './minimise.js';

const MOST_ROWS = 12;

/** Undefined if they agree. */
export function failureOf(seed: number, cases: RandomCases, comparison: Comparison): string | undefined {
  const one = cases.at(seed);
  const found = comparison.differences(one);
  if (found.length === 0) return undefined;
  const smallest = minimise(one, (smaller) => comparison.differences(smaller).length > 0);
  return [
    `seed ${seed}: the engines differ; again: npm run fuzz -- --first ${seed} --count 1`,
    ...found.slice(0, MOST_ROWS),
    `minimised from ${one.run.steps.length} steps to ${smallest.run.steps.length}:`,
    ...drawCase(smallest, comparison),
    ...comparison.differences(smallest).slice(0, MOST_ROWS),
  ].join('\n');
}
