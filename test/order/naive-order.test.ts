// The scouting scheduler against the naive one on seeded random traces: every step, every wait.

import { expect, it } from 'vitest';
import type { Schedule } from '../../src/contract/machine.js';
import { orderSteps } from '../../src/order/order-steps.js';
import { rangeOf } from '../../src/order/releases.js';
import { openTrace, replayInput, type OpenedTrace } from '../../src/replay/open-trace.js';
import { Objects } from '../../src/sim/objects.js';
import { EventCode, RecordTag } from '../../src/trace/layout.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { wordAddress } from '../../src/sim/references.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { naiveOrder } from './naive-order.js';
import { atLength } from '../at-length.js';

const PLACED = new Set<number>([EventCode.allocate, EventCode.free, EventCode.threadStart, EventCode.threadEnd]);
const TRACES = atLength(10, 30);
const RANDOM_TRACES = atLength(4, 12);

function scouted(trace: OpenedTrace, schedule: Schedule): string[] {
  const { records } = trace.catalog;
  const heap = new Objects(trace.catalog, 64);
  const file = TraceFile.open(trace.path);
  const order = orderSteps(file, replayInput(trace, randomMachine(0), schedule), heap);
  const log: string[] = [];
  while (order.next()) {
    const { step, thread } = order;
    const words = Array.from(
      { length: step.isRecord ? step.words : 0 },
      (_, word) => step.hi[word] * 2 ** 32 + step.lo[word],
    );
    const name = step.isRecord
      ? `record ${step.record} ${words.join(' ')}`
      : `event ${step.events.code} ${step.events.hasStamp ? step.events.stamp : null}`;
    order.place();
    const place = !step.isRecord && PLACED.has(step.events.code) ? ` at ${step.events.address}` : '';
    log.push(`${thread}: ${name}${place}${order.hadToWait ? ' *' : ''}`);
    if (step.isRecord) {
      if (records.tag[step.record] === RecordTag.allocation)
        heap.allocationRecord(thread, records.firstSlot[step.record], wordAddress(step, 0), wordAddress(step, 1), 0);
      if (records.tag[step.record] === RecordTag.free)
        heap.freeRecord(thread, records.firstSlot[step.record], wordAddress(step, 0), 0);
    } else if (step.events.code === EventCode.allocate || step.events.code === EventCode.free) {
      const [begin, end] = rangeOf(step.events);
      if (step.events.code === EventCode.allocate)
        heap.allocate(thread, begin, end - begin, step.events.detail, 0, step.events.pool);
      else heap.free(thread, begin, end - begin, step.events.detail, 0);
    }
  }
  file.close();
  return log;
}

it(`${TRACES} random traces go in the order that a scheduler with everything in memory finds`, () => {
  let waits = 0;
  let renames = 0;
  for (let seed = 0; seed < TRACES; seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: 250 })));
    const naive = naiveOrder(trace);
    expect(scouted(trace, { kind: 'logical' })).toEqual(naive.log);
    waits += naive.log.filter((step) => step.endsWith('*')).length;
    renames += naive.renamed;
  }
  expect(waits).toBeGreaterThan(atLength(60, 200));
  expect(renames).toBeGreaterThan(atLength(20, 60));
});

it('so do the same traces in random order, each with three seeds, and no two seeds give one order', () => {
  let waits = 0;
  const orders = new Set<string>();
  for (let trace = 0; trace < RANDOM_TRACES; trace++) {
    const opened = openTrace(traceFile(randomTrace(trace, { actions: 250 })));
    for (const seed of [0, trace + 1, 0xffff_ffff - trace]) {
      const naive = naiveOrder(opened, seed);
      expect(scouted(opened, { kind: 'random', seed }), `trace ${trace}, seed ${seed}`).toEqual(naive.log);
      waits += naive.log.filter((step) => step.endsWith('*')).length;
      orders.add(naive.log.join('\n'));
    }
  }
  expect(waits).toBeGreaterThan(atLength(60, 200));
  expect(orders.size).toBe(3 * RANDOM_TRACES);
});
