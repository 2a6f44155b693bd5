// Stage: profile. What a cell of two rows of equal keys is together, by the role of its column.

import type { Column } from '../base/table-description.js';

/** KEEP: the first one's. */
const [ADD, LEAST, MOST, KEEP] = [0, 1, 2, 3];

/** `across`: where the rows come from, one run or several. */
export function ruleOf({ role, isEach }: Column, across: 'run' | 'runs'): number {
  if (role === 'key' || (role === 'kept' && !isEach)) return KEEP;
  if (role === 'smallest') return LEAST;
  return role === 'largest' || (role === 'largest-of-runs' && across === 'runs') ? MOST : ADD;
}

export function combine(rule: number, own: number, other: number): number {
  if (rule === ADD) return own + other;
  if (rule === LEAST) return Math.min(own, other);
  return rule === MOST ? Math.max(own, other) : own;
}
