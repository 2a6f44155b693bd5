// Stage: replay. A trace, a machine and a schedule to a ReplayResult: the specification in code. Plain on purpose; engine/ is its fast twin.

import { NO_INDEX } from '../base/ids.js';
import { orderSteps, type Order } from '../order/order.js';
import { rangeOf } from '../order/releases.js';
import type { ReplayInput } from '../replay/input.js';
import { MOST_PHASES, type ObjectTable, type ReplayResult } from '../replay/result.js';
import { EventCode, MarkKind, RecordFlag, RecordTag, SlotKind, Unseen } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-reader.js';
import { Attribution } from './attribution.js';
import { CallStacks } from './call-stacks.js';
import { Counter } from './counter-index.js';
import { buildCaches, buildLines, type CacheModel, type WholeOutcome } from './cache-model.js';
import type { Store } from './history.js';
import type { Line, Lines } from './lines.js';
import { HeldLocks } from './locks.js';
import { MissClassifier } from './miss-classifier.js';
import { Objects, toAddress, type SimObject } from './objects.js';
import { Accesses, AccessKind, allocatedAddress, openedVariables, wordAddress, type AccessSink } from './references.js';
import { FALSE_SHARING, Sharing, TRUE_SHARING } from './sharing.js';
import { Tallies, type Counters } from './tallies.js';
import { WindowBorders } from './window-borders.js';

const PROGRESS_STEP = 1 << 16;

export function simulate(input: ReplayInput): ReplayResult {
  const file = TraceFile.open(input.path);
  try {
    return new Simulation(input).run(file);
  } finally {
    file.close();
  }
}

class Simulation implements AccessSink {
  private readonly objects: Objects;
  private readonly tallies: Tallies;
  private readonly sharing: Sharing;
  private readonly lines: Lines;
  private readonly caches: CacheModel;
  private readonly classifier: MissClassifier;
  private readonly attribution: Attribution;
  private readonly calls: CallStacks;
  private readonly locks = new HeldLocks();
  private readonly accesses: Accesses;
  private readonly latencies: readonly number[];
  private readonly progress: Float64Array | null;

  private thread = 0;
  private core = 0;
  /** Of the last reference. */
  private object: SimObject | null = null;
  private latency = 0;
  private accessCount = 0;
  /** Replayed, counted or not; and those that were not even made. */
  private references = 0;
  private skipped = 0;
  private loads = 0;
  private segments = 0;
  private segmentsThatWaited = 0;
  private outsideLife = 0;
  private unseenBytes = 0;
  private lostSegments = 0;
  private windowsClosed = 0;
  private windowsOpened = 0;
  /** Stamps of openings minus those of closings. */
  private closedStamps = 0n;
  private droppedWords = 0n;
  private lastStamp = 0n;
  private readonly borders: WindowBorders | null;
  /** The window began, if not at the beginning. */
  private before = { references: 0, time: 0, windowsClosed: 0, closedStamps: 0n };
  private readonly phases: { name: string; time: number }[] = [];
  private readonly hits: [number, number, number] = [0, 0, 0];
  private readonly misses: [number, number, number] = [0, 0, 0];

  constructor(private readonly input: ReplayInput) {
    const { machine, catalog } = input;
    this.objects = new Objects(catalog, machine.lineBytes, machine.cores);
    this.calls = new CallStacks(catalog);
    this.tallies = new Tallies(catalog, machine.cores);
    this.lines = buildLines(machine);
    this.attribution = new Attribution(catalog, machine, this.lines, this.objects);
    this.objects.onLifeEnd = (object) => this.attribution.objectCounters.endLife(object);
    this.objects.onEnd = (object) => {
      this.attribution.settle(object);
      this.tallies.settle(object);
    };
    this.sharing = new Sharing(this.objects);
    this.caches = buildCaches(machine, this.lines, this.attribution);
    this.attribution.caches = this.caches;
    this.classifier = new MissClassifier(machine, this.caches);
    this.accesses = new Accesses(catalog, machine.lineBytes, this);
    this.latencies = [machine.l1.latencyCycles, machine.l2.latencyCycles, machine.llc.latencyCycles, machine.cacheToCacheLatencyCycles, machine.memoryLatencyCycles,
      machine.remoteCacheLatencyCycles ?? machine.cacheToCacheLatencyCycles, machine.remoteMemoryLatencyCycles ?? machine.memoryLatencyCycles];
    this.progress = input.progress ? new Float64Array(input.progress) : null;
    this.borders = input.window ? new WindowBorders(input.window, catalog.records) : null;
  }

  run(file: TraceFile): ReplayResult {
    const order = orderSteps(file, this.input, this.objects);
    while (this.borders?.isOver !== true && order.next()) {
      this.thread = order.thread;
      this.core = order.thread % this.input.machine.cores;
      if (order.step.isRecord) this.record(order);
      else this.event(order);
      if (this.borders?.pass(order.step, this.skipped + this.references, order.time)) this.beginWindow(order.time);
    }
    if (this.borders?.isAhead('from')) this.beginWindow(order.time);
    const { labels, takers, unusedBytes, objectCounters } = this.attribution;
    unusedBytes.finish();
    this.objects.finish(order.time);
    if (this.progress) this.progress[0] = this.references;
    const references = this.references - this.before.references;
    return {
      totals: {
        accesses: this.accessCount,
        references,
        loads: this.loads,
        stores: references - this.loads,
        invalidations: this.caches.invalidations,
        upgrades: this.caches.upgrades,
        writeBacks: this.caches.writeBacks,
        segments: this.segments,
        segmentsThatWaited: this.segmentsThatWaited,
        instructions: order.time - this.before.time,
        outsideLife: this.outsideLife,
        unseenBytes: this.unseenBytes,
        lostSegments: this.lostSegments,
        windowsClosed: this.windowsClosed - this.before.windowsClosed,
        closedStamps: Number(BigInt.asUintN(64, this.closedSoFar() - this.before.closedStamps)),
        droppedWords: Number(BigInt.asUintN(64, this.droppedWords)),
        hits: this.hits,
        misses: this.misses,
        fills: takers.fills,
        evictions: takers.evicted,
        ...this.caches.whole?.totals(),
      },
      tallies: this.tallies.freeze(),
      sharing: this.sharing.freeze(),
      objects: freezeObjects(this.objects.all),
      objectCounters: objectCounters.freeze(),
      labels: labels.freeze(),
      evictions: takers.evictions.freeze(),
      invalidations: takers.invalidations.freeze(),
      unusedBytes: unusedBytes.freeze(),
      callPaths: this.calls.freeze(),
      phases: { count: this.phases.length, name: this.phases.map(({ name }) => name), time: Float64Array.from(this.phases, ({ time }) => time) },
      ...(this.borders && { window: this.borders.positions() }),
    };
  }

  /** What was counted is forgotten; caches, histories, objects, votes and labels stay. */
  private beginWindow(time: number): void {
    this.before = { references: this.references, time, windowsClosed: this.windowsClosed, closedStamps: this.closedSoFar() };
    this.accessCount = this.loads = this.segments = this.segmentsThatWaited = 0;
    this.outsideLife = this.unseenBytes = this.lostSegments = 0;
    this.droppedWords = 0n;
    this.hits.fill(0);
    this.misses.fill(0);
    this.caches.restartCounts();
    this.tallies.restart();
    this.sharing.restart();
    this.attribution.restartCounts();
    this.objects.restartCounts(time);
  }

  private closedSoFar(): bigint {
    return this.closedStamps + (this.windowsClosed > this.windowsOpened ? this.lastStamp : 0n);
  }

  private record({ step, thread, timeBefore, time, hadToWait }: Order): void {
    const { records } = this.input.catalog;
    const { record } = step;
    const slot = records.slotCount[record] > 0 ? records.firstSlot[record] : NO_INDEX;
    this.calls.pass(thread, record);
    switch (records.tag[record]) {
      case RecordTag.allocation: {
        const address = allocatedAddress(step);
        if (address !== null) this.objects.allocationRecord(thread, slot, address, wordAddress(step, 1), timeBefore, this.calls.path(thread));
        return;
      }
      case RecordTag.free:
        return this.objects.freeRecord(thread, slot, wordAddress(step, 0), timeBefore);
    }
    const opened = openedVariables(this.input.catalog, step);
    if (opened) this.objects.openFrame(thread, records.function[record], opened.slots, opened.addresses, timeBefore);
    if (records.tag[record] === RecordTag.segment) {
      this.segments++;
      if (hadToWait) this.segmentsThatWaited++;
      this.accesses.expand(step);
    }
    const closes = RecordFlag.exit | RecordFlag.frame;
    if ((records.flags[record] & closes) === closes) this.objects.closeFrame(thread, records.function[record], time);
  }

  private event({ step: { events }, thread, time }: Order): void {
    if (events.hasStamp && events.stamp > this.lastStamp) this.lastStamp = events.stamp;
    switch (events.code) {
      case EventCode.allocate: {
        const [begin, end] = rangeOf(events);
        return this.objects.allocate(thread, begin, end - begin, events.detail, time, events.first);
      }
      case EventCode.free: {
        const [begin, end] = rangeOf(events);
        return this.objects.free(thread, begin, end - begin, events.detail, time);
      }
      case EventCode.acquire:
      case EventCode.release:
        return this.locks.event(thread, events);
      case EventCode.threadEnd:
        return this.objects.endThread(thread, time);
      case EventCode.threadLocal:
        return this.objects.threadLocal(thread, events.first, events.second, toAddress(events.address), time);
      case EventCode.unseen:
        if (this.input.kernelSlot === undefined || events.detail !== Unseen.kernelRange) this.unseenBytes += Number(events.value);
        else this.accesses.store(this.input.kernelSlot, toAddress(events.address), Number(events.value));
        return;
      case EventCode.lost:
        this.lostSegments += Number(events.value);
        return;
      case EventCode.mark:
        return this.mark(events.detail, events.value, events.text, time);
    }
  }

  private mark(kind: number, value: bigint, name: string, time: number): void {
    switch (kind) {
      case MarkKind.phase:
        if (this.phases.length < MOST_PHASES) this.phases.push({ name, time });
        return;
      case MarkKind.closed:
        this.windowsClosed++;
        this.closedStamps -= value;
        return;
      case MarkKind.opened:
        this.windowsOpened++;
        this.closedStamps += value;
        return;
      case MarkKind.dropped:
        this.droppedWords += value;
    }
  }

  access(kind: number, address: number, sizeBytes: number, slot: number): void {
    const { lineBytes } = this.input.machine;
    if (this.borders?.isSkipping) {
      this.skipped += Math.floor((address + sizeBytes - 1) / lineBytes) - Math.floor(address / lineBytes) + 1;
      return;
    }
    this.accessCount++;
    let first: Counters | null = null;
    let firstObject: SimObject | null = null;
    let latency = 0;
    let isMiss = false;
    const end = address + sizeBytes;
    for (let at = address; at < end; ) {
      const lineNumber = Math.floor(at / lineBytes);
      const pieceEnd = Math.min(end, (lineNumber + 1) * lineBytes);
      const counters = this.reference(kind, at, pieceEnd, lineNumber, slot);
      if (first === null) {
        first = counters;
        firstObject = this.object;
      }
      latency = Math.max(latency, this.latency);
      isMiss ||= this.caches.missedLevels > 0;
      at = pieceEnd;
    }
    if (first === null) return;
    first[Counter.latencyCycles] += latency;
    if (!isMiss) return;
    first[Counter.missLatencyCycles] += latency;
    if (firstObject !== null) this.attribution.objectCounters.latency(firstObject, latency);
  }

  /** One reference to [address, end), which lies in one line. */
  private reference(kind: number, address: number, end: number, lineNumber: number, slot: number): Counters {
    const isStore = kind !== AccessKind.load;
    const line = this.lines.at(lineNumber);
    const begin = address - lineNumber * this.input.machine.lineBytes;
    const lineEnd = begin + (end - address);
    const object = (this.object = this.objects.find(address));
    const counters = this.tallies.countersFor(slot, this.core, object, address);
    const { leaf } = this.tallies;
    const sequence = ++this.references;
    if (this.progress && sequence % PROGRESS_STEP === 0) this.progress[0] = sequence;

    this.attribution.begin(slot, object, line, this.caches.unitOf[0][this.core], begin, lineEnd);
    this.caches.reference(this.core, line, isStore, address, slot);
    this.classifier.reference(this.core, line, begin, lineEnd, sequence);
    this.latency = this.latencies[this.caches.server];
    if (!isStore) this.loads++;
    counters[isStore ? Counter.stores : Counter.loads]++;
    counters[Counter.served[this.caches.server]]++;
    this.countLevels(counters, isStore);
    if (this.caches.whole !== null) this.countWhole(counters, this.caches.whole);
    this.countTransfer(counters, line, slot);
    const missClass = this.classifier.missClass[0];
    if (this.caches.missedLevels > 0 && this.classifier.store && (missClass === TRUE_SHARING || missClass === FALSE_SHARING)) {
      this.sharing.add(missClass, slot, object, leaf, this.classifier.store);
    }
    if (object) {
      this.touchObject(object);
      this.attribution.objectCounters.reference(object, isStore, this.caches.missedLevels, this.classifier);
    } else if (this.objects.wasFreed(address)) this.outsideLife++;
    this.shareLine(line, lineNumber, isStore);
    if (object && line.isShared && line.isStored) object.isWriteShared = true;
    if (isStore) {
      const store: Store = { sequence, sharer: this.caches.unitOf[0][this.core], slot, object: object?.number ?? NO_INDEX, leaf, address, livesThen: this.objects.lifeCount };
      this.classifier.recordStore(this.core, store, line, begin, lineEnd);
    }
    return counters;
  }

  private countLevels(counters: Counters, isStore: boolean): void {
    const { missedLevels } = this.caches;
    for (let level = 0; level < missedLevels; level++) {
      const columns = Counter.levels[level];
      this.misses[level]++;
      counters[isStore ? columns.missStores : columns.missLoads]++;
      counters[columns.classes[this.classifier.missClass[level]]]++;
      if (this.classifier.isCompulsoryShared[level]) counters[columns.compulsoryShared]++;
      counters[columns.dprof[this.classifier.dprofRule[level]]]++;
    }
    if (missedLevels < 3) this.hits[missedLevels]++;
  }

  private countWhole(counters: Counters, whole: WholeOutcome): void {
    this.latency += whole.tlbCycles;
    for (let level = 0; level < whole.tlbMisses; level++) counters[Counter.tlbMisses[level]]++;
    Counter.prefetch.forEach(({ issued, hits }, level) => {
      counters[issued] += whole.prefetchIssued[level];
      counters[hits] += whole.prefetchHits[level];
    });
  }

  private countTransfer(counters: Counters, line: Line, slot: number): void {
    if (line.previousCore !== -1 && line.previousCore !== this.core) {
      counters[Counter.transfers]++;
      const slotKind = this.input.catalog.slots.kind[slot];
      const isAtomic = slotKind >= SlotKind.atomicLoad && slotKind <= SlotKind.atomicResult;
      if (isAtomic || this.locks.holdsAny(this.thread)) counters[Counter.orderBoundTransfers]++;
    }
    line.previousCore = this.core;
  }

  private touchObject(object: SimObject): void {
    object.references++;
    if (object.lastCore !== -1 && object.lastCore !== this.core) object.isBounced = true;
    object.lastCore = this.core;
  }

  private shareLine(line: Line, lineNumber: number, isStore: boolean): void {
    const covering = this.objects.coveringLife(lineNumber * this.input.machine.lineBytes);
    if (line.coveredBy !== covering) {
      line.coveredBy = covering;
      line.sharedCore = -1;
      line.isShared = false;
      line.isStored = false;
    }
    if (line.sharedCore !== -1 && line.sharedCore !== this.core) line.isShared = true;
    line.sharedCore = this.core;
    if (isStore) line.isStored = true;
  }
}

function freezeObjects(objects: readonly SimObject[]): ObjectTable {
  return {
    count: objects.length,
    address: Float64Array.from(objects, (object) => object.address),
    sizeBytes: Float64Array.from(objects, (object) => object.sizeBytes),
    kind: Uint8Array.from(objects, (object) => object.kind),
    allocationSlot: Uint32Array.from(objects, (object) => object.allocationSlot),
    variable: Uint32Array.from(objects, (object) => object.variable),
    freeSlot: Uint32Array.from(objects, (object) => object.freeSlot),
    type: Uint32Array.from(objects, (object) => (object.declared !== 0 ? object.declared : object.voted)),
    thread: Uint32Array.from(objects, (object) => object.thread),
    bornAt: Float64Array.from(objects, (object) => object.bornAt),
    diedAt: Float64Array.from(objects, (object) => object.diedAt),
    lives: Float64Array.from(objects, (object) => object.lives),
    lifetime: Float64Array.from(objects, (object) => object.lifetime),
    references: Float64Array.from(objects, (object) => object.references),
    flags: Uint8Array.from(objects, (object) => (object.isBounced ? 1 : 0) | (object.isWriteShared ? 2 : 0) | (object.isPart ? 4 : 0) | (object.isFreed ? 8 : 0) | (object.isFreedElsewhere ? 16 : 0)),
    callPath: Uint32Array.from(objects, (object) => object.callPath),
  };
}
