// Stage: trace -> what-if. A run, gone through by CachePerf's rule (docs/cacheperf-rule.md). The specification of
// engine/placing/cacheperf_walk.h.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { AccessKind, Accesses } from '../sim/references.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { TraceFile } from '../trace/trace-file.js';
import { CACHEPERF_ORDER, noCounts, type CacheperfCounts, type CacheperfRequest } from './cacheperf-columns.js';
import { LineSharers, WORDS } from './line-sharers.js';
import { MissWindows } from './miss-windows.js';
import { PrivateCache } from './private-cache.js';
import { TrackedObjects } from './tracked-objects.js';

export function cacheperfWalk(input: ReplayInput, request: CacheperfRequest): CacheperfCounts {
  const { catalog } = input;
  const { lineBytes } = request;
  const file = TraceFile.open(input.path);
  try {
    const tracked = new TrackedObjects(catalog);
    const { objects } = tracked;
    const counts = noCounts(request.rows);
    const windows = new MissWindows(request, counts);
    const sharers = new LineSharers(counts);
    const caches = new Map<number, PrivateCache>();
    let thread = 0;
    const reference = (kind: number, begin: number, end: number, slot: number): void => {
      const line = Math.floor(begin / lineBytes);
      const object = objects.find(begin);
      const row = rowOf(object, request);
      const block = object?.kind === ObjectKind.heap ? object.number : NO_INDEX;
      let cache = caches.get(thread);
      if (cache === undefined) caches.set(thread, (cache = new PrivateCache(request.sets, request.ways)));
      if (cache.misses(line) && row > 0) {
        counts.misses[row - 1]++;
        windows.miss(row - 1, slot, thread, line, block);
      }
      const words = wordsOf(begin - line * lineBytes, end - line * lineBytes, lineBytes);
      sharers.reference({ thread, words, row, block }, line, kind !== AccessKind.load);
    };
    const accesses = new Accesses(catalog, lineBytes, {
      access: (kind, address, sizeBytes, slot) => {
        const end = address + sizeBytes;
        for (let at = address; at < end; ) {
          const until = Math.min(end, (Math.floor(at / lineBytes) + 1) * lineBytes);
          reference(kind, at, until, slot);
          at = until;
        }
      },
    });
    const order = orderSteps(file, { ...input, schedule: CACHEPERF_ORDER }, objects);
    while (order.next()) {
      thread = order.thread;
      tracked.step(order, () => {
        if (order.isSegment) accesses.expand(order.step);
      });
    }
    return counts;
  } finally {
    file.close();
  }
}

/** 1 + the row, 0: none. */
function rowOf(object: SimObject | null, { rowOfSlot, rowOfVariable }: CacheperfRequest): number {
  if (object === null) return 0;
  if (object.kind !== ObjectKind.heap) return rowOfVariable[object.variable];
  return object.allocationSlot === NO_INDEX ? 0 : rowOfSlot[object.allocationSlot];
}

/** A bit for each word of the line that has one of the bytes. */
function wordsOf(begin: number, end: number, lineBytes: number): number {
  const first = Math.floor((begin * WORDS) / lineBytes);
  const last = Math.floor(((end - 1) * WORDS) / lineBytes);
  return (1 << (last + 1)) - (1 << first);
}
