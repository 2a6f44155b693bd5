// Stage: trace -> replay. The interface of an order: it gives steps to those who replay them, and asks them for sizes.

import type { EventDecoder } from '../trace/event-decoder.js';
import type { Parallelism } from './parallelism.js';

/** The order asks the replay for sizes, since frees do not say how much they free. */
export interface LiveHeap {
  /**
   * Size of the live heap object (of the live part, if it is a part's allocator) that starts at `address`, 0 if there
   * is none.
   */
  sizeAt(address: number, allocator: number): number;
}

export interface Order {
  /** Moves to the next step; false when all threads are done. The step must be replayed before the next call. */
  next(): boolean;
  /** Moves the step's addresses, which are as recorded, to where the order has put their memory (renames.ts). */
  place(): void;
  /** Null: threads do not wait in this order, whose clocks say nothing about that. */
  readonly parallelism: Parallelism | null;
  readonly thread: number;
  readonly step: EventDecoder;
  readonly isSegment: boolean;
  /** Instructions of the segment. */
  readonly instructions: number;
  /** Replay time before and after the step. */
  readonly timeBefore: number;
  readonly time: number;
  /** The thread's clock when the step was issued, and how far the step's acquire had raised it. */
  readonly clock: number;
  readonly raisedBy: number;
  /** Whether the segment had to wait. */
  readonly hadToWait: boolean;
}
