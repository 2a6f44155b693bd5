// Stage: replay. The interface of an observer, which is told of every access as it is replayed: samples are drawn
// there, and typed. Counts do not depend on it.

import type { SimObject } from './sim-object.js';

/** Finds the object at an address. */
export interface LiveObjects {
  find(address: number): SimObject | null;
  wasFreed(address: number): boolean;
}

/** What there is of an object when it is referenced. */
export interface ReferencedObject {
  readonly number: number;
  /** Of the reference in it. */
  readonly offset: number;
  /** SlotId of its allocation; NO_INDEX: none is known. */
  readonly site: number;
  /** Of its present life, in replay time. */
  readonly age: number;
}

export interface EvictedLine {
  readonly address: number;
  /** Number of the live object that its first byte lies in; null: none that is known. */
  readonly object: number | null;
}

/** One reference of an access, when all of the access is replayed; `core`: the thread's. */
export interface ReplayedReference {
  readonly slot: number;
  readonly thread: number;
  readonly core: number;
  readonly address: number;
  readonly sizeBytes: number;
  /** Replay time before the step. */
  readonly time: number;
  /** Functions that called the reference's, the nearest first; those that are known. */
  readonly callers: readonly number[];
  /** null: none that is known. */
  readonly object: ReferencedObject | null;
  /** contract/outcome-word.ts. */
  readonly outcome: number;
  /** What the access loaded or stored, of all its references; null: nothing is known. */
  readonly value: bigint | null;
  /** By level: of the line that had to leave the core's cache, the first of several; null: none had to. */
  readonly evicted: readonly (EvictedLine | null)[];
  /** Invalidations: cores (L1s, where cores share one) that lost the line to this store, out of their L1 or L2. */
  readonly invalidated: number;
}

export interface AccessObserver {
  /** Of the window only. */
  reference?(reference: ReplayedReference): void;
  /** Only under the recorded schedule: a step comes, at its recorded time. Objects are as they were before it. */
  step?(stamp: bigint, objects: LiveObjects): void;
  /** The thread makes this record. */
  record?(thread: number, record: number): void;
  /** The thread's next accesses are of this record, a segment. */
  segment?(thread: number, record: number): void;
  /**
   * `leaf`: as tallies have it. `latency`: estimated cycles, the slowest of its lines. `isMiss`: of the L1.
   * `isTransfer`: another core's cache supplied a line.
   */
  access?(
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
