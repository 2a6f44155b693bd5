// Stage: advice. What CachePerf's rule says of the misses of a struct, an array or a variable: docs/cacheperf-rule.md.

import type { CacheperfCounts } from '../what-if/cacheperf-columns.js';

export type CacheperfClass = 'true-sharing' | 'false-sharing' | 'conflict' | 'capacity';

export interface CacheperfVerdict {
  /** null: too little is seen of it. */
  readonly class: CacheperfClass | null;
  /** Of sharing and conflicts. */
  readonly origin: 'application' | 'allocator' | null;
  readonly misses: number;
  readonly windows: number;
  readonly conflictWindows: number;
  /** Invalidations. */
  readonly trueSharing: number;
  readonly falseSharing: number;
}

/** What at least half of the misses are. An invalidation makes a miss that `misses` does not know. */
export function verdictOf(counts: CacheperfCounts, row: number): CacheperfVerdict {
  const own = (name: keyof CacheperfCounts): number => counts[name][row];
  const [misses, windows, conflictWindows] = [own('misses'), own('windows'), own('conflicts')];
  const [trueSharing, falseSharing] = [own('trueSharing'), own('falseSharing')];
  const sharing = trueSharing + falseSharing;
  const numbers = { misses, windows, conflictWindows, trueSharing, falseSharing };
  if (sharing > 0 && sharing >= misses)
    return {
      class: trueSharing > falseSharing ? 'true-sharing' : 'false-sharing',
      origin: originOf(own('sharingAcross'), sharing),
      ...numbers,
    };
  if (windows === 0) return { class: null, origin: null, ...numbers };
  if (conflictWindows * 2 < windows) return { class: 'capacity', origin: null, ...numbers };
  return { class: 'conflict', origin: originOf(own('conflictsAcross'), conflictWindows), ...numbers };
}

/** The allocator's if most of them are between heap objects that it put beside one another, or on one set. */
function originOf(across: number, all: number): 'application' | 'allocator' {
  return across * 2 > all ? 'allocator' : 'application';
}
