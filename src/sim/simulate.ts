// Stage: replay. A trace, a machine and a schedule to a ReplayResult: the specification in code. It needs no speed;
// engine/ is its fast twin. Steps come in the schedule's order; what each means is said where it is handed to.

import { NO_INDEX } from '../base/ids.js';
import type { Order } from '../order/order.js';
import { orderSteps } from '../order/order-steps.js';
import { RecordedOrder } from '../order/recorded-order.js';
import { rangeOf } from '../order/releases.js';
import type { ReplayInput } from '../contract/input.js';
import type { ReplayResult } from '../contract/result.js';
import { EventCode, Lost, RecordFlag, RecordTag, Unseen } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import type { AccessObserver } from './access-observer.js';
import { CallStacks } from './call-stacks.js';
import { toAddress } from './checked-addresses.js';
import { completeMachine, isPlainMachine } from '../contract/complete-machine.js';
import { OrderBinding } from './order-binding.js';
import { Marks } from './marks.js';
import { sumObjects } from './object-sums.js';
import { objectTable } from './object-table.js';
import { Objects } from './objects.js';
import { ReferenceReplay } from './reference-replay.js';
import { Accesses, allocatedAddress, openedVariables, wordAddress } from './references.js';
import { SharedVariables, ThreadLines } from './shared-variables.js';
import { ThreadCores } from './thread-cores.js';
import { WindowBorders } from './window-borders.js';
import { closesFrame } from '../trace/unit-rules.js';

export function simulate(input: ReplayInput, observer: AccessObserver | null = null): ReplayResult {
  const steps = simulateInSteps(input, observer);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same; it pauses after each step, so that what an observer keeps can be taken from it. */
export function* simulateInSteps(input: ReplayInput, observer: AccessObserver | null): Generator<void, ReplayResult> {
  const file = TraceFile.open(input.path);
  try {
    const lines = input.sharedVariables && new ThreadLines(input.machine.lineBytes);
    if (lines) yield* new Simulation(input, lines, true).run(file);
    return yield* new Simulation(input, lines).run(file, observer);
  } finally {
    file.close();
  }
}

class Simulation {
  private readonly objects: Objects;
  private readonly cores: ThreadCores;
  private readonly calls: CallStacks;
  private readonly binding = new OrderBinding();
  private readonly replay: ReferenceReplay;
  private readonly accesses: Accesses;

  private segments = 0;
  private segmentsThatWaited = 0;
  private unseenBytes = 0;
  private lostPaths = 0;
  private readonly marks = new Marks();
  private readonly borders: WindowBorders | null;
  /** The window began, if not at the beginning. */
  private before = { references: 0, time: 0 };

  /** Threads that took a step. */
  private readonly seen = new Set<number>();

  /** `lines`: for shared variables; `isAhead`: to find them. */
  constructor(
    private readonly input: ReplayInput,
    lines: ThreadLines | undefined,
    isAhead = false,
  ) {
    const { machine, catalog } = input;
    this.cores = new ThreadCores(input);
    this.objects = new Objects(catalog, machine.lineBytes, this.cores.of(0));
    this.calls = new CallStacks(catalog);
    this.borders = input.window ? new WindowBorders(input.window, catalog.records) : null;
    const threadLines = isAhead ? lines : undefined;
    const whole = completeMachine(machine);
    this.replay = new ReferenceReplay(input, whole, this.objects, this.binding, this.borders, threadLines);
    this.accesses = new Accesses(catalog, machine.lineBytes, this.replay);
    const { labels, objectCounters, flow, lockAccounts } = this.replay;
    const shared = isAhead || !lines ? undefined : new SharedVariables(input.sharedVariables!, lines, catalog, labels);
    this.replay.sharedVariables = shared;
    this.objects.onLifeEnd = (object, time) => {
      objectCounters.endLife(object);
      flow?.endLife(object, time);
      shared?.endLife(object);
      lockAccounts.endLife(object);
    };
    this.objects.onEnd = (object) => this.replay.settle(object);
  }

  *run(file: TraceFile, observer: AccessObserver | null = null): Generator<void, ReplayResult> {
    this.replay.observer = observer;
    const order = orderSteps(file, this.input, this.objects);
    while (this.borders?.isOver !== true && order.next()) {
      order.place();
      if (observer?.step && order instanceof RecordedOrder) observer.step(order.stamp, this.objects);
      this.replay.thread = order.thread;
      this.seen.add(order.thread);
      this.replay.core = this.objects.core = this.cores.of(order.thread);
      this.replay.beginStep(order.step.isRecord ? order.timeBefore : order.time);
      if (order.step.isRecord) this.record(order);
      else this.event(order);
      this.replay.flow?.endStep();
      this.cores.pass(order.thread, order.step);
      if (this.borders?.pass(order.step, this.replay.skipped + this.replay.references, order.time))
        this.beginWindow(order);
      if (observer?.reference) yield;
    }
    if (this.borders?.isAhead('from')) this.beginWindow(order);
    const parallelism = order.parallelism?.freeze(order.time);
    const { replay } = this;
    const { caches, tallies, sharing, labels, unusedBytes, objectCounters } = replay;
    const { takers } = replay.stays;
    replay.finish(order.time);
    this.objects.finish(order.time);
    replay.flow?.endStep();
    replay.sharedVariables?.finish();
    if (this.seen.size < 2) {
      // with whom to share, and whom to wait for
      replay.sharedVariables?.restart();
      replay.lockAccounts.forget();
    }
    const locks = replay.lockAccounts.freeze((path) => this.calls.numberOf(path));
    const references = replay.references - this.before.references;
    const result: ReplayResult = {
      totals: {
        accesses: replay.accessCount,
        references,
        loads: replay.loads,
        stores: references - replay.loads,
        invalidations: caches.invalidations,
        upgrades: caches.upgrades,
        writeBacks: caches.coherence.writeBacks,
        segments: this.segments,
        segmentsThatWaited: this.segmentsThatWaited,
        instructions: order.time - this.before.time,
        outsideLife: replay.outsideLife,
        unseenBytes: this.unseenBytes,
        lostSegments: this.lostPaths,
        ...this.marks.totals(),
        hits: replay.hits,
        misses: replay.misses,
        fills: takers.fills,
        evictions: takers.evicted,
        ...(isPlainMachine(this.input.machine) ? {} : caches.totals()),
      },
      tallies: tallies.freeze(),
      memoryStructs: replay.memoryStructs.freeze(),
      sharing: sharing.freeze(),
      objects: objectTable(this.objects.all),
      objectCounters: objectCounters.freeze(),
      labels: labels.freeze(),
      ...takers.freeze(),
      unusedBytes: unusedBytes.freeze(),
      callPaths: this.calls.freeze(),
      ...this.marks.freeze(),
      ...locks,
      ...replay.sharedVariables?.freeze(),
      ...(parallelism && { parallelism }),
      ...(this.borders && { window: this.borders.positions() }),
      ...(replay.flow && { flow: replay.flow.freeze() }),
    };
    return sumObjects(result, this.input.mostObjects);
  }

  /** The counts start anew; caches, histories, objects, votes and labels stay. */
  private beginWindow({ time, parallelism }: Order): void {
    parallelism?.restart(time);
    this.before = { references: this.replay.references, time };
    this.segments = this.segmentsThatWaited = 0;
    this.unseenBytes = this.lostPaths = 0;
    this.marks.restart();
    this.replay.restartCounts(time);
    this.objects.restartCounts(time);
  }

  private record({ step, thread, timeBefore, time, hadToWait }: Order): void {
    const { records } = this.input.catalog;
    const { record } = step;
    this.replay.observer?.record?.(thread, record);
    const slot = records.slotCount[record] > 0 ? records.firstSlot[record] : NO_INDEX;
    this.calls.pass(thread, record);
    this.tellCallers(thread, record);
    switch (records.tag[record]) {
      case RecordTag.allocation: {
        const address = allocatedAddress(step);
        if (address !== null)
          this.objects.allocationRecord(
            thread,
            slot,
            address,
            wordAddress(step, 1),
            timeBefore,
            this.calls.path(thread, slot),
          );
        return;
      }
      case RecordTag.free:
        return this.objects.freeRecord(thread, slot, wordAddress(step, 0), timeBefore);
    }
    const opened = (records.flags[record] & RecordFlag.entry) !== 0 ? openedVariables(this.input.catalog, step) : null;
    if (opened) this.objects.openFrame(thread, records.function[record], opened.slots, opened.addresses, timeBefore);
    if (records.tag[record] === RecordTag.segment) {
      this.segments++;
      if (hadToWait) this.segmentsThatWaited++;
      this.replay.observer?.segment?.(thread, record);
      this.accesses.expand(step);
    }
    if (closesFrame(records.flags[record])) this.objects.closeFrame(thread, records.function[record], time);
  }

  /** Chunks are missing: what the thread left and released in them is not known. */
  private forgetWhereabouts(thread: number): void {
    this.calls.forget(thread);
    this.binding.forget(thread);
    this.replay.lockAccounts.forgetHolds(thread);
  }

  /** `record`: null of an event. */
  private tellCallers(thread: number, record: number | null): void {
    if (this.replay.observer?.reference) this.replay.callers = () => this.calls.callers(thread, record);
  }

  private event({ step: { events }, thread, time, clock, raisedBy }: Order): void {
    this.marks.stamp(events);
    this.binding.event(thread, events);
    this.tellCallers(thread, null);
    switch (events.code) {
      case EventCode.allocate: {
        const [begin, end] = rangeOf(events);
        return this.objects.allocate(thread, begin, end - begin, events.detail, time, events.pool);
      }
      case EventCode.free: {
        const [begin, end] = rangeOf(events);
        return this.objects.free(thread, begin, end - begin, events.detail, time);
      }
      case EventCode.acquire:
      case EventCode.release:
        return this.replay.lockAccounts.event(thread, events, clock, raisedBy, () => this.calls.innermost(thread));
      case EventCode.threadStart:
        return this.objects.beginThread(...rangeOf(events));
      case EventCode.threadEnd:
        return this.objects.endThread(thread, time);
      case EventCode.threadLocal:
        return this.objects.threadLocal(thread, events.unit, events.variable, toAddress(events.address), time);
      case EventCode.unseen:
        if (this.input.kernelSlot === undefined || events.detail !== Unseen.kernelRange)
          this.unseenBytes += Number(events.size);
        else this.accesses.store(this.input.kernelSlot, toAddress(events.address), Number(events.size));
        return;
      case EventCode.lost:
        this.lostPaths += Number(events.number);
        if (events.detail === Lost.chunks) this.forgetWhereabouts(thread);
        return;
      case EventCode.mark:
        return this.marks.event(events, time);
    }
  }
}
