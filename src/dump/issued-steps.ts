// Stage: order -> check. The steps that a schedule issues, without replaying them: only the heap is kept, which the
// order asks what a free frees.

import { NO_INDEX } from '../base/ids.js';
import type { Order } from '../order/order.js';
import { orderSteps } from '../order/order-steps.js';
import { checkOrder, fingerprint, type IssuedStep, type OrderVerdict } from '../order/order-check.js';
import { rangeOf } from '../order/releases.js';
import type { ReplayInput } from '../contract/input.js';
import { Objects } from '../sim/objects.js';
import { allocatedAddress, wordAddress } from '../sim/references.js';
import { EventCode, RecordTag } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';

/** Whether the input's schedule keeps recorded happens-before. */
export function checkSchedule(input: ReplayInput): OrderVerdict {
  const file = TraceFile.open(input.path);
  try {
    return checkOrder(file, input, issueSteps(file, input));
  } finally {
    file.close();
  }
}

export function* issueSteps(file: TraceFile, input: ReplayInput): Generator<IssuedStep> {
  const heap = new Objects(input.catalog, input.machine.lineBytes);
  const order = orderSteps(file, input, heap);
  while (order.next()) {
    const print = fingerprint(order.step);
    order.place();
    keepHeap(heap, input, order);
    yield { thread: order.thread, print };
  }
}

function keepHeap(heap: Objects, { catalog: { records } }: ReplayInput, { step, thread }: Order): void {
  if (step.isRecord) {
    const tag = records.tag[step.record];
    const slot = records.slotCount[step.record] > 0 ? records.firstSlot[step.record] : NO_INDEX;
    if (tag === RecordTag.free) heap.freeRecord(thread, slot, wordAddress(step, 0), 0);
    if (tag !== RecordTag.allocation) return;
    const address = allocatedAddress(step);
    if (address !== null) heap.allocationRecord(thread, slot, address, wordAddress(step, 1), 0);
    return;
  }
  const { code, detail, pool } = step.events;
  if (code !== EventCode.allocate && code !== EventCode.free) return;
  const [begin, end] = rangeOf(step.events);
  if (code === EventCode.allocate) heap.allocate(thread, begin, end - begin, detail, 0, pool);
  else heap.free(thread, begin, end - begin, detail, 0);
}
