// Stage: trace -> replay. The threads' steps in one order, as docs/replay/order.md defines it for the schedule.

import type { ReplayInput } from '../contract/input.js';
import type { TraceFile } from '../trace/trace-file.js';
import { LogicalOrder } from './logical-order.js';
import type { LiveHeap, Order } from './order.js';
import { RandomOrder } from './random-order.js';
import { RecordedOrder } from './recorded-order.js';

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
