// Stage: HTML page. The classes of misses: their colours, and what each means to a reader.

import { CLASSES, type MissClass } from '../src/replay/machine.js';
import type { ClassCounts } from '../src/views/view.js';

export const CLASS_NAMES: Record<MissClass, string> = {
  compulsory: 'compulsory',
  'true-sharing': 'true sharing',
  'false-sharing': 'false sharing',
  conflict: 'conflict',
  capacity: 'capacity',
};

/** Defined in page.css, for light and dark. */
export const CLASS_COLOURS = Object.fromEntries(CLASSES.map((name) => [name, `var(--${name})`])) as Record<
  MissClass,
  string
>;

export const CLASS_MEANINGS: Record<MissClass, string> = {
  compulsory: 'the core had never referenced the line before, so that no cache of any size would have had it',
  'true-sharing': 'another core had stored to the very bytes since, so that the data had to move between the cores',
  'false-sharing':
    'another core had stored to other bytes of the same line since: the data need not have moved, it only lies too close',
  conflict: 'the line was thrown out although the cache had room in other sets: too many lines fall into few sets',
  capacity: 'more other lines were used since than the cache holds',
};

/** Ties: the one that is named first; null of nothing. */
export function leadingClass(classes: ClassCounts): MissClass | null {
  const most = Math.max(...CLASSES.map((name) => classes[name]));
  return most === 0 ? null : CLASSES.find((name) => classes[name] === most)!;
}
