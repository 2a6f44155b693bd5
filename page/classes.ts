// Stage: HTML page. The classes of misses: their colours, and what each means to a reader.

import { CLASSES, type MissClass } from '../src/contract/machine.js';
import type { ClassCounts } from '../src/views/counter-sums.js';

export { CLASS_MEANINGS, CLASS_NAMES } from '../src/views/class-columns.js';

/** Defined in page.css, for light and dark. */
export const CLASS_COLOURS = Object.fromEntries(CLASSES.map((name) => [name, `var(--${name})`])) as Record<
  MissClass,
  string
>;

/** Ties: the one that is named first; null of nothing. */
export function leadingClass(classes: ClassCounts): MissClass | null {
  const most = Math.max(...CLASSES.map((name) => classes[name]));
  return most === 0 ? null : CLASSES.find((name) => classes[name] === most)!;
}
