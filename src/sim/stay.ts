// Stage: replay. One stay of a line in a cache, from its fill until it leaves.

import type { Life } from './life.js';

/** One line in one unit of a level. */
export interface Stay {
  readonly line: number;
  /** Of the reference that brought it. */
  readonly label: number;
  /** Of the object of that reference; null: none. */
  readonly life: Life | null;
  /** Replay time. */
  since: number;
  /** In an L1: which of its bytes references touched there. */
  readonly isUsed: boolean[];
}
