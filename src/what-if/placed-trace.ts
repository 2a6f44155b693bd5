// Stage: trace -> what-if. A trace, and where its objects lie anew, to a trace in which they do: the steps of all
// threads, in the recorded order, so that each address is asked for while its object lives.

import type { ReplayInput, ThreadChunks } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { hasAddress } from '../order/step-addresses.js';
import { toAddress } from '../sim/checked-addresses.js';
import type { EventColumn } from '../trace/event-column.js';
import { EventCode, Lost, RecordFlag, RecordTag, Unseen, PATHS_PER_ENTRY } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { ExcerptFrames } from './excerpt-frames.js';
import { framesMoved, isKept, WHOLE, type Excerpts } from './excerpts.js';
import { IterationOrder } from './iteration-order.js';
import type { LoopChanges } from './loop-change.js';
import { ObjectMap } from './object-map.js';
import { PlacedStep, type StepSink } from './placed-step.js';
import { Placement } from './placement.js';
import { firstRecordPath } from './plain-catalog.js';
import type { PlacedObjects } from './placed-objects.js';
import { StepsFile } from './steps-file.js';
import { TrackedObjects } from './tracked-objects.js';
import { VariantRecords, type Variants } from './variant-records.js';

export interface PlacedTrace {
  /** Chunks of the placed steps; their file has no name. */
  readonly descriptor: number;
  readonly threads: readonly ThreadChunks[];
  /** Accesses that became several. */
  readonly split: number;
  /** Loads of pointers to cold parts. */
  readonly pointerLoads: number;
  /** Iterations of loops that are gone through in another order. */
  readonly moved: number;
  readonly variants: Variants;
}

/** The specification of engine/placing/placed_trace.h. The caller closes the descriptor. */
export function placeTrace(
  input: ReplayInput,
  placed: PlacedObjects,
  excerpts: Excerpts = WHOLE,
  loops: LoopChanges | null = null,
): PlacedTrace {
  const file = TraceFile.open(input.path);
  const steps = new StepsFile();
  try {
    const { catalog, threads } = input;
    const { records } = catalog;
    const tracked = new TrackedObjects(catalog);
    const placement = new Placement(new ObjectMap(tracked.objects), placed);
    const variants = new VariantRecords(catalog);
    const placedStep = new PlacedStep(catalog, placement, variants);
    // The recorded order depends on no machine. One thread has no other.
    const schedule = { kind: threads.length > 1 ? 'recorded' : 'logical' } as const;
    const order = orderSteps(file, { ...input, schedule }, tracked.objects);
    const movesFrames = framesMoved(catalog);
    const firstPath = firstRecordPath(catalog);
    const sinkOf = (thread: number): StepSink => ({
      path: (record, lo, hi, words, stamp) =>
        steps.thread(thread).path(firstPath + record * PATHS_PER_ENTRY, lo, hi, words, stamp),
      event: (entry) => steps.thread(thread).event(entry),
    });
    // Loops are tried on what has them all.
    const frames = excerpts.kept < excerpts.period && loops === null ? new ExcerptFrames(catalog) : null;
    const orders = loops && threads.map((_, thread) => new IterationOrder(catalog, loops, sinkOf(thread)));
    let passed = 0;
    while (order.next()) {
      const { step } = order;
      const { events } = step;
      const isStamped = step.isRecord && (records.flags[step.record] & RecordFlag.stamped) !== 0;
      const isIn = isKept(excerpts, passed);
      const isWhole = !order.isSegment || isStamped || isIn;
      if (step.isRecord) passed += records.slotCount[step.record];
      const isWritten = isWhole || movesFrames[step.record] === 1;
      if (frames !== null && step.isRecord) {
        const { thread } = order;
        const asksWhere = isIn || records.tag[step.record] === RecordTag.allocation;
        for (const move of asksWhere ? frames.missing(thread) : []) sinkOf(thread).path(variants.move(move), [], [], 0);
        frames.pass(thread, step.record, isWritten);
      } else if (frames !== null && events.code === EventCode.lost && events.detail === Lost.chunks)
        frames.forget(order.thread);
      placement.thread = order.thread;
      tracked.step(order, () => {
        if (isWhole && step.isRecord) placedStep.take(step);
        else if (step.isRecord && movesFrames[step.record] === 1) placedStep.skim(step);
        if (!step.isRecord || isStamped) placeEvent(events, placement);
      });
      if (!isWritten) continue;
      const iterations = orders?.[order.thread];
      const stamp = isStamped ? events : undefined;
      if (iterations !== undefined) step.isRecord ? iterations.step(step, placedStep, stamp) : iterations.event(events);
      else if (!step.isRecord) sinkOf(order.thread).event(events);
      else placedStep.writeTo(sinkOf(order.thread), stamp);
    }
    for (const iterations of orders ?? []) iterations.flush();
    const { descriptor } = steps;
    const { split, pointerLoads } = placedStep;
    const moved = (orders ?? []).reduce((sum, iterations) => sum + iterations.moved, 0);
    return { descriptor, threads: steps.finish(threads.length), split, pointerLoads, moved, variants: variants.made };
  } catch (error) {
    steps.close();
    throw error;
  } finally {
    file.close();
  }
}

function placeEvent(events: EventColumn, placement: Placement): void {
  if (!hasAddress(events)) return;
  const address = toAddress(events.address);
  switch (events.code) {
    case EventCode.threadStart:
    case EventCode.threadEnd:
      return; // a stack
    case EventCode.allocate:
    case EventCode.free:
    case EventCode.threadLocal:
      events.size = BigInt(placement.sizeAt(address, Number(events.size)));
      events.address = BigInt(placement.begin(address));
      return;
  }
  const isRange = events.code === EventCode.unseen && events.detail === Unseen.kernelRange;
  const [piece] = isRange ? placement.pieces(address, Number(events.size), true) : [];
  const to = piece?.address ?? placement.place(address, 1);
  if (to >= 0) events.address = BigInt(to);
}
