// Stage: replay. The simulated machine as plain data; every engine takes exactly this.

export interface CacheLevel {
  readonly sizeBytes: number;
  readonly ways: number;
  readonly latencyCycles: number;
}

export interface Machine {
  readonly name: string;
  readonly cores: number;
  readonly lineBytes: number;
  readonly l1: CacheLevel;
  readonly l2: CacheLevel;
  readonly llc: CacheLevel;
  /** Cores that share one LLC; `cores` (or more) for a single LLC. LLC number of core c: floor(c / coresPerLlc). */
  readonly coresPerLlc: number;
  readonly memoryLatencyCycles: number;
  readonly cacheToCacheLatencyCycles: number;
}

export const LEVELS = ['l1', 'l2', 'llc'] as const;
export type LevelName = (typeof LEVELS)[number];
export const CLASSES = ['compulsory', 'true-sharing', 'false-sharing', 'conflict', 'capacity'] as const;
export type MissClass = (typeof CLASSES)[number];
export const DPROF_RULES = ['invalidation', 'conflict', 'capacity'] as const;
export const SERVERS = ['l1', 'l2', 'llc', 'cache', 'memory'] as const;
export type Schedule = { readonly kind: 'logical' } | { readonly kind: 'recorded' };
