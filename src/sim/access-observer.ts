// Stage: replay. The interface of an observer, which is told of every access as it is replayed: samples are drawn
// there, and typed. Counts do not depend on it.

import type { SimObject } from './sim-object.js';

/** Finds the object at an address. */
export interface LiveObjects {
  find(address: number): SimObject | null;
  wasFreed(address: number): boolean;
}

export interface AccessObserver {
  /** Only under the recorded schedule: a step comes, at its recorded time. Objects are as they were before it. */
  step?(stamp: bigint, objects: LiveObjects): void;
  /** The thread's next accesses are of this record, a segment. */
  segment(thread: number, record: number): void;
  /**
   * `leaf`: as tallies have it. `latency`: estimated cycles, the slowest of its lines. `isMiss`: of the L1.
   * `isTransfer`: another core's cache supplied a line.
   */
  access(
    thread: number,
    isStore: boolean,
    slot: number,
    leaf: number,
    object: SimObject | null,
    latency: number,
    isMiss: boolean,
    isTransfer: boolean,
  ): void;
}
