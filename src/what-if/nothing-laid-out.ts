// Stage: trace -> what-if. A change of which the run has no object that could be laid out anew.

import { DprofError } from '../base/dprof-error.js';

export class NothingLaidOut extends DprofError {
  /** In a clause, of "it". */
  readonly why: string;

  /** `left`: how many objects stay as they are, by the reason. */
  constructor(names: readonly string[], left: ReadonlyMap<string, number>) {
    const why =
      left.size === 0
        ? 'it lies in memory that nobody counts as objects of it, or that an allocator of the program hands out'
        : [...left].map(([reason, count]) => `${count} ${count === 1 ? 'object' : 'objects'} ${reason}`).join('; ');
    super(
      `${[...new Set(names)].join(', ')}: no object of it could be laid out anew, so nothing would change`,
      left.size === 0 ? `${why}: dprof report says which memory; docs/allocators.md` : why,
      2,
    );
    this.why = left.size === 0 ? `${why} (docs/allocators.md)` : why;
  }
}
