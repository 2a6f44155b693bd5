// The scouting scheduler against the naive one on seeded random traces: every step, every wait.

import { expect, it } from 'vitest';
import { orderSteps } from '../../src/order/order.js';
import { rangeOf } from '../../src/order/releases.js';
import { openTrace, replayInput, type OpenedTrace } from '../../src/replay/open-trace.js';
import { Objects } from '../../src/sim/objects.js';
import { EventCode, RecordTag } from '../../src/trace/layout.js';
import { TraceFile } from '../../src/trace/trace-reader.js';
import { wordAddress } from '../../src/sim/references.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { naiveOrder } from './naive-order.js';

function scouted(trace: OpenedTrace): string[] {
  const { records } = trace.catalog;
  const heap = new Objects(trace.catalog, 64);
  const file = TraceFile.open(trace.path);
  const order = orderSteps(file, replayInput(trace, randomMachine(0), { kind: 'logical' }), heap);
  const log: string[] = [];
  while (order.next()) {
    const { step, thread } = order;
    const words = Array.from({ length: step.isRecord ? step.words : 0 }, (_, word) => step.hi[word] * 2 ** 32 + step.lo[word]);
    const name = step.isRecord ? `record ${step.record} ${words.join(' ')}` : `event ${step.events.code} ${step.events.hasStamp ? step.events.stamp : null}`;
    log.push(`${thread}: ${name}${order.hadToWait ? ' *' : ''}`);
    if (step.isRecord) {
      if (records.tag[step.record] === RecordTag.allocation) heap.allocationRecord(thread, records.firstSlot[step.record], wordAddress(step, 0), wordAddress(step, 1), 0);
      if (records.tag[step.record] === RecordTag.free) heap.freeRecord(thread, records.firstSlot[step.record], wordAddress(step, 0), 0);
    } else if (step.events.code === EventCode.allocate || step.events.code === EventCode.free) {
      const [begin, end] = rangeOf(step.events);
      if (step.events.code === EventCode.allocate) heap.allocate(thread, begin, end - begin, step.events.detail, 0, step.events.first);
      else heap.free(thread, begin, end - begin, step.events.detail, 0);
    }
  }
  file.close();
  return log;
}

it('40 random traces go in the order that a scheduler with everything in memory finds', () => {
  let waits = 0;
  for (let seed = 0; seed < 40; seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: 250 })));
    const naive = naiveOrder(trace);
    expect(scouted(trace)).toEqual(naive);
    waits += naive.filter((step) => step.endsWith('*')).length;
  }
  expect(waits).toBeGreaterThan(200);
});
