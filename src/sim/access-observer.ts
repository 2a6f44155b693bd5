// Stage: replay. Who is told of every access as it is replayed: samples are drawn there. What is counted does not depend on it.

import type { SimObject } from './sim-object.js';

export interface AccessObserver {
  /** The thread's next accesses are of this record, a segment. */
  segment(thread: number, record: number): void;
  /** `leaf`: as tallies have it. `latency`: estimated cycles, the slowest of its lines. `isMiss`: of the L1. `isTransfer`: another core's cache supplied a line. */
  access(thread: number, isStore: boolean, slot: number, leaf: number, object: SimObject | null, latency: number, isMiss: boolean, isTransfer: boolean): void;
}
