// Stage: profile -> views. The rows of the data profile.

import type { LevelCycles } from './level-cycles.js';
import type { WithRunCycles } from './run-time.js';
import type { RowSite } from './split-rows.js';
import type { WholeCounts } from './whole-counts.js';
import type { WithMostMisses } from './most-misses.js';
import type { NamedBy } from './named-by.js';
import type { LevelName, Server } from '../contract/machine.js';

export interface LoadsAndStores {
  readonly loads: number;
  readonly stores: number;
}

/** `site` and what else says where it was allocated: only rows of scalars, which are told apart by it. */
export interface DataProfileRow
  extends WholeCounts,
    LevelCycles,
    NamedBy,
    Partial<RowSite>,
    WithMostMisses,
    WithRunCycles {
  readonly type: string;
  readonly references: LoadsAndStores;
  readonly misses: Record<LevelName, LoadsAndStores>;
  /** The remote ones on machines with sockets only. */
  readonly servedBy: Record<Exclude<Server, `remote-${string}`>, number> & Partial<Record<Server, number>>;
  /** Per reference; null without references. */
  readonly averageLatencyCycles: number | null;
  /** The latency of accesses that missed the L1, per L1 miss; null without misses. */
  readonly averageMissLatencyCycles: number | null;
  /** At least, if `memoryObjects` is not 0. */
  readonly liveObjects: number;
  readonly workingSetBytes: number;
  /**
   * Objects of other types, memory and pools, in which accesses named the type: nobody knows how many of it live there.
   */
  readonly memoryObjects: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly transfers: number;
  readonly orderBoundTransfers: number;
  /** Which core came first was decided by recorded locks and system calls, for some of the transfers. */
  readonly orderBound: boolean;
  /** Estimated cycles: the latency of accesses that missed the L1. */
  readonly missLatencyCycles: number;
  /** L1 misses of stores to its objects before their first load, and after their last one. */
  readonly missesBeforeFirstUse: number;
  readonly missesAfterLastUse: number;
  /**
   * Heap objects that were freed, and those of them freed by a thread on another core than the one that allocated them.
   */
  readonly frees: number;
  readonly freesOnOtherCore: number;
}
