// Stage: HTML page. The classes of misses: their colours, and what each means to a reader.

import { CLASSES, type MissClass } from '../src/contract/machine.js';

export { CLASS_MEANINGS } from '../src/views/class-columns.js';
export { CLASS_NAMES } from '../src/views/class-names.js';

/** Defined in page.css, for light and dark. */
export const CLASS_COLOURS = Object.fromEntries(CLASSES.map((name) => [name, `var(--${name})`])) as Record<
  MissClass,
  string
>;
