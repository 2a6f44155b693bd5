// Stage: trace -> replay. The threads' steps in one order, as docs/replay/order.md defines it for the schedule.

import type { ReplayInput } from '../replay/input.js';
import type { TraceFile } from '../trace/trace-reader.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { LogicalOrder } from './logical-order.js';
import { RandomOrder } from './random-order.js';
import { RecordedOrder } from './recorded-order.js';

/** What the order must ask the replay: frees do not say how much they free. */
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

export function orderSteps(file: TraceFile, input: ReplayInput, heap: LiveHeap): Order {
  const { schedule } = input;
  switch (schedule.kind) {
    case 'recorded':
      return new RecordedOrder(file, input);
    case 'random':
      return new RandomOrder(file, input, heap, schedule.seed);
    default:
      return new LogicalOrder(file, input, heap);
  }
}
