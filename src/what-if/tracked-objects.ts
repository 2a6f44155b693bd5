// Stage: trace -> what-if. The objects of a run, followed step by step as a replay follows them (sim/simulate.ts), but
// without caches: at each step `between` runs while all that the step names lives.

import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../contract/catalog.js';
import type { Order } from '../order/order.js';
import { rangeOf } from '../order/releases.js';
import { toAddress } from '../sim/checked-addresses.js';
import { Objects } from '../sim/objects.js';
import { allocatedAddress, openedVariables, wordAddress } from '../sim/references.js';
import { EventCode, RecordTag } from '../trace/layout.js';
import { closesFrame } from '../trace/unit-rules.js';

/** Objects ask for the length of lines; where objects are does not depend on it. */
const ANY_LINE_BYTES = 64;

export class TrackedObjects {
  readonly objects: Objects;

  constructor(private readonly catalog: Catalog) {
    this.objects = new Objects(catalog, ANY_LINE_BYTES);
  }

  step(order: Order, between: () => void): void {
    if (order.step.isRecord) this.record(order, between);
    else this.event(order, between);
  }

  private record({ step, thread, timeBefore, time }: Order, between: () => void): void {
    const { objects } = this;
    const { records } = this.catalog;
    const { record } = step;
    const slot = records.slotCount[record] > 0 ? records.firstSlot[record] : NO_INDEX;
    if (records.tag[record] === RecordTag.allocation) {
      const address = allocatedAddress(step);
      if (address !== null) objects.allocationRecord(thread, slot, address, wordAddress(step, 1), timeBefore);
      return between();
    }
    if (records.tag[record] === RecordTag.free) {
      const address = wordAddress(step, 0);
      between();
      return objects.freeRecord(thread, slot, address, timeBefore);
    }
    const opened = openedVariables(this.catalog, step);
    if (opened) objects.openFrame(thread, records.function[record], opened.slots, opened.addresses, timeBefore);
    between();
    if (closesFrame(records.flags[record])) objects.closeFrame(thread, records.function[record], time);
  }

  private event({ step: { events }, thread, time }: Order, between: () => void): void {
    const { objects } = this;
    switch (events.code) {
      case EventCode.allocate: {
        const [begin, end] = rangeOf(events);
        objects.allocate(thread, begin, end - begin, events.detail, time, events.pool);
        return between();
      }
      case EventCode.free: {
        const [begin, end] = rangeOf(events);
        const { detail } = events;
        between();
        return objects.free(thread, begin, end - begin, detail, time);
      }
      case EventCode.threadStart:
        objects.beginThread(...rangeOf(events));
        return between();
      case EventCode.threadEnd:
        between();
        return objects.endThread(thread, time);
      case EventCode.threadLocal:
        objects.threadLocal(thread, events.unit, events.variable, toAddress(events.address), time);
        return between();
      default:
        return between();
    }
  }
}
