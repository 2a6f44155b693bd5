// Stage: replay. One stay of a line in a cache, from its fill until it leaves.

import type { Life } from './life.js';

/** One line in one unit of a level. */
export interface Stay {
  readonly line: number;
  /** The label of the reference that brought it. */
  readonly label: number;
  /** The life that that reference went to; null: none. */
  readonly life: Life | null;
  /** Replay time. */
  since: number;
  /** In an L1: for each byte, whether references touched it there. */
  readonly isUsed: boolean[];
}
