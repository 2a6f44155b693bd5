// Stage: trace -> what-if. What CachePerf's rule (docs/cacheperf-rule.md) is asked, and what it counts:
// cacheperf-walk.ts counts it, and the native engine (engine/placing/cacheperf_walk.h), to the same numbers.

/** Their numbers: an instruction's misses are looked at 64 at a time, and eight of these on one set are a conflict. */
export const WINDOW = 64;
export const CROWD = 8;

/** Threads take turns of 1 to 256 instructions: short runs of threads that were never at work together tell, too. */
export const CACHEPERF_ORDER = { kind: 'random', seed: 1 } as const;

export interface CacheperfRequest {
  /** Of heap objects by allocation slot, of others by variable: 1 + the row that they count in; 0: none. */
  readonly rowOfSlot: Uint32Array;
  readonly rowOfVariable: Uint32Array;
  readonly rows: number;
  readonly lineBytes: number;
  /** Of a thread's L1. */
  readonly sets: number;
  readonly ways: number;
  /** WINDOW and CROWD; tests with short runs ask for less. */
  readonly window: number;
  readonly crowd: number;
}

/** By row. */
export const CACHEPERF_COLUMNS = [
  /** References that miss the L1 of their thread, where no other thread takes lines away. */
  'misses',
  /** Whole windows of an instruction's misses, and those that are conflicts. */
  'windows',
  'conflicts',
  /** Of the conflicts: several heap objects lie on the set. */
  'conflictsAcross',
  /** Stores that invalidate a line of another thread: it had referenced a word of the store, or other words only. */
  'trueSharing',
  'falseSharing',
  /** Of both: the store and the other thread are at two heap objects. */
  'sharingAcross',
] as const;

export type CacheperfCounts = Readonly<Record<(typeof CACHEPERF_COLUMNS)[number], Float64Array>>;

export function noCounts(rows: number): CacheperfCounts {
  const columns = CACHEPERF_COLUMNS.map((name) => [name, new Float64Array(rows)] as const);
  return Object.fromEntries(columns) as CacheperfCounts;
}
