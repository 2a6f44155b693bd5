// Stage: replay. Accesses to references, one per line, and a reference to everything that it counts in: caches, class,
// tally, object, line.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../replay/input.js';
import { SERVERS } from '../replay/machine.js';
import type { Catalog } from '../trace/catalog.js';
import { SlotKind } from '../trace/layout.js';
import type { AccessObserver } from './access-observer.js';
import { Attribution } from './attribution.js';
import { buildCaches, buildLines, type CacheModel, type WholeOutcome } from './cache-model.js';
import { Counter } from './counter-index.js';
import { WIDTH } from './counter-rows.js';
import { Flow } from './flow.js';
import { Hierarchy } from './hierarchy.js';
import type { PathStep } from './life.js';
import { Use, type Lines } from './lines.js';
import { LockAccounts } from './lock-accounts.js';
import type { HeldLocks } from './locks.js';
import { MissClassifier } from './miss-classifier.js';
import type { Objects, SimObject } from './objects.js';
import { AccessKind, type AccessSink } from './references.js';
import { PAGE_BYTES, type PageTable } from './page-table.js';
import { SharedLines } from './shared-lines.js';
import type { SharedVariables, ThreadLines } from './shared-variables.js';
import { FALSE_SHARING, Sharing, TRUE_SHARING } from './sharing.js';
import { Tallies } from './tallies.js';
import type { WindowBorders } from './window-borders.js';

const PROGRESS_STEP = 1 << 16;
const {
  loads: LOADS,
  stores: STORES,
  latencyCycles: LATENCY,
  missLatencyCycles: MISS_LATENCY,
  served: SERVED,
} = Counter;
const [CACHE, REMOTE_CACHE] = [SERVERS.indexOf('cache'), SERVERS.indexOf('remote-cache')];

export class ReferenceReplay implements AccessSink {
  readonly tallies: Tallies;
  readonly sharing: Sharing;
  readonly caches: CacheModel;
  readonly attribution: Attribution;
  /** null: nobody wants it. */
  readonly flow: Flow | null;
  readonly lockAccounts: LockAccounts;
  /** If they were asked for. */
  sharedVariables?: SharedVariables;
  /** Who is told of each access behind it: nobody, but for samples of an exact run. */
  observer: AccessObserver | null = null;
  /** Whose accesses come. */
  thread = 0;
  core = 0;

  accessCount = 0;
  /** Replayed, counted or not; and those that were not even made. */
  references = 0;
  skipped = 0;
  loads = 0;
  outsideLife = 0;
  /** Per level. */
  readonly hits: [number, number, number] = [0, 0, 0];
  readonly misses: [number, number, number] = [0, 0, 0];

  private readonly catalog: Catalog;
  private readonly lineBytes: number;
  /** The line size is this power of two. */
  private readonly lineShift: number;
  /** The caches, if the machine is plain. */
  private readonly plain: Hierarchy | null;
  private readonly pages: PageTable;
  private readonly lines: Lines;
  private readonly sharedLines: SharedLines;
  private readonly classifier: MissClassifier;
  /** By server. */
  private readonly latencies: Float64Array;
  private readonly progress: Float64Array | null;
  /** Of the last reference. */
  private object: SimObject | null = null;
  private line = -1;
  private latency = 0;
  private step: PathStep | null = null;

  constructor(
    input: ReplayInput,
    private readonly objects: Objects,
    private readonly locks: HeldLocks,
    private readonly borders: WindowBorders | null,
    private readonly threadLines?: ThreadLines,
  ) {
    const { machine, catalog } = input;
    this.catalog = catalog;
    this.lineBytes = machine.lineBytes;
    this.lineShift = Math.log2(machine.lineBytes);
    this.tallies = new Tallies(catalog, machine.cores);
    this.pages = objects.pages;
    this.lines = buildLines(machine, this.pages);
    this.flow = input.flow ? new Flow(input.flow, machine, this.lines, objects) : null;
    this.attribution = new Attribution(catalog, machine, this.lines, objects, this.flow);
    this.lockAccounts = new LockAccounts(catalog, objects, this.attribution.labels);
    this.sharing = new Sharing(objects);
    this.caches = buildCaches(machine, this.lines, this.attribution);
    this.plain = this.caches instanceof Hierarchy ? this.caches : null;
    this.classifier = new MissClassifier(machine, this.caches, this.lines);
    this.sharedLines = new SharedLines(machine.lineBytes, this.lines, objects);
    this.latencies = Float64Array.of(
      machine.l1.latencyCycles,
      machine.l2.latencyCycles,
      machine.llc.latencyCycles,
      machine.cacheToCacheLatencyCycles,
      machine.memoryLatencyCycles,
      machine.remoteCacheLatencyCycles ?? machine.cacheToCacheLatencyCycles,
      machine.remoteMemoryLatencyCycles ?? machine.memoryLatencyCycles,
    );
    this.progress = input.progress ? new Float64Array(input.progress) : null;
  }

  /** A window begins: what was counted is forgotten; caches, histories, votes and labels stay. */
  restartCounts(): void {
    this.accessCount = this.loads = this.outsideLife = 0;
    this.hits.fill(0);
    this.misses.fill(0);
    this.caches.restartCounts();
    this.tallies.restart();
    this.sharing.restart();
    this.attribution.restartCounts();
    this.sharedVariables?.restart();
    this.lockAccounts.restart();
  }

  finish(): void {
    this.attribution.unusedBytes.finish();
    if (this.progress) this.progress[0] = this.references;
  }

  access(kind: number, address: number, sizeBytes: number, slot: number): void {
    if (this.borders?.isSkipping === true) {
      this.skipped += Math.floor((address + sizeBytes - 1) / this.lineBytes) - Math.floor(address / this.lineBytes) + 1;
      return;
    }
    this.accessCount++;
    this.threadLines?.access(this.thread, address);
    this.sharedVariables?.access(this.thread, address, slot, this.objects.find(address));
    const isStore = kind !== AccessKind.load;
    const firstBytes = this.lineBytes - (address & (this.lineBytes - 1));
    if (sizeBytes > firstBytes) return this.split(isStore, address, firstBytes, sizeBytes, slot);
    const row = this.reference(isStore, address, sizeBytes, slot);
    this.countLatency(row, this.object, this.step, this.latency, this.caches.missedLevels > 0);
    this.observer?.access(
      this.thread,
      isStore,
      slot,
      this.tallies.leaf,
      this.object,
      this.latency,
      this.caches.missedLevels > 0,
      this.isTransfer(),
    );
  }

  private split(isStore: boolean, address: number, firstBytes: number, sizeBytes: number, slot: number): void {
    const { lineBytes } = this;
    const row = this.reference(isStore, address, firstBytes, slot);
    const { object, step } = this;
    const { leaf } = this.tallies;
    let { latency } = this;
    let isMiss = this.caches.missedLevels > 0;
    let isTransfer = this.isTransfer();
    for (let done = firstBytes; done < sizeBytes; done += lineBytes) {
      this.reference(isStore, address + done, Math.min(sizeBytes - done, lineBytes), slot);
      latency = Math.max(latency, this.latency);
      isMiss ||= this.caches.missedLevels > 0;
      isTransfer ||= this.isTransfer();
    }
    this.countLatency(row, object, step, latency, isMiss);
    this.observer?.access(this.thread, isStore, slot, leaf, object, latency, isMiss, isTransfer);
  }

  /** Of the last reference. */
  private isTransfer(): boolean {
    const { missedLevels, server } = this.caches;
    return missedLevels > 0 && (server === CACHE || server === REMOTE_CACHE);
  }

  /** Of an access, with its first reference. */
  private countLatency(
    row: number,
    object: SimObject | null,
    step: PathStep | null,
    latency: number,
    isMiss: boolean,
  ): void {
    const { values } = this.tallies.rows;
    values[row * WIDTH + LATENCY] += latency;
    if (step !== null) step.latencyCycles += latency;
    if (!isMiss) return;
    values[row * WIDTH + MISS_LATENCY] += latency;
    if (object !== null) this.attribution.objectCounters.latency(object, latency);
  }

  /** One reference to so many bytes, which lie in one line; returns the row of its counters. */
  private reference(isStore: boolean, address: number, sizeBytes: number, slot: number): number {
    const { core, tallies, lines } = this;
    const sequence = ++this.references;
    if (sequence % PROGRESS_STEP === 0 && this.progress !== null) this.progress[0] = sequence;
    const page = Math.floor(address / PAGE_BYTES);
    const frame = this.pages.frameOf(page);
    const offset = (address - page * PAGE_BYTES) | 0;
    const line = lines.inPage(page, frame, offset >> this.lineShift);
    const object = this.objects.findInPage(frame, offset, address);
    const row = tallies.rowFor(slot, core, object, address);
    const begin = offset & (this.lineBytes - 1);
    const end = begin + sizeBytes;
    this.object = object;
    this.step = null;
    if (this.plain !== null && line === this.line && lines.onlyCore(line) === core)
      this.again(this.plain, line, isStore, begin, end, row * WIDTH);
    else this.pass(line, isStore, begin, end, slot, object, address, row * WIDTH);
    if (object !== null) {
      object.references++;
      if (object.lastCore !== core) {
        object.isBounced ||= object.lastCore !== -1;
        object.lastCore = core;
      }
      this.attribution.objectCounters.reference(object, isStore, this.caches.missedLevels, this.classifier);
      if (this.flow !== null)
        this.step = this.flow.reference(object, slot, core, address, sizeBytes, line, this.caches.server);
    } else if (this.objects.wasFreed(address)) this.outsideLife++;
    this.lockAccounts.reference(this.thread, slot, object, this.caches.missedLevels > 0, this.classifier.missClass[0]);
    return row;
  }

  /**
   * To the line that the reference before was to, and which no other core knows: it is in the L1, and stands first
   * wherever lines stand in an order.
   */
  private again(caches: Hierarchy, line: number, isStore: boolean, begin: number, end: number, first: number): void {
    const { core, lines } = this;
    const { values } = this.tallies.rows;
    this.attribution.beginAgain(begin, end);
    caches.referenceAgain(core, line, isStore);
    this.latency = this.latencies[0];
    this.hits[0]++;
    values[first + SERVED[0]]++;
    values[first + (isStore ? STORES : LOADS)]++;
    if (!isStore) this.loads++;
    lines.mark(line, isStore, this.objects.lifeCount);
  }

  private pass(
    line: number,
    isStore: boolean,
    begin: number,
    end: number,
    slot: number,
    object: SimObject | null,
    address: number,
    first: number,
  ): void {
    const { core, caches, classifier, tallies } = this;
    const { values } = tallies.rows;
    const use = this.useLine(line);
    this.line = line;
    this.attribution.begin(slot, object, line, begin, end);
    caches.reference(core, line, isStore, address, slot);
    classifier.reference(core, line, use, begin, end, this.references);
    this.latency = this.latencies[caches.server];
    if (!isStore) this.loads++;
    values[first + (isStore ? STORES : LOADS)]++;
    values[first + SERVED[caches.server]]++;
    if (caches.missedLevels === 0) this.hits[0]++;
    else this.countMisses(values, first, isStore, slot, object, tallies.leaf);
    if (caches.whole !== null) this.countWhole(values, first, caches.whole);
    if (use === Use.first || use === Use.own) return this.lines.mark(line, isStore, this.objects.lifeCount);
    this.countShared(values, first, line, isStore, slot, object);
    if (isStore) this.recordStore(line, begin, end, slot, object, address);
  }

  /** One of Use. */
  private useLine(line: number): number {
    const before = this.lines.onlyCore(line);
    const use = this.lines.use(line, this.core);
    if (use === Use.second) {
      this.classifier.share(line, before);
      this.sharedLines.add(line, before);
    }
    return use;
  }

  private countMisses(
    values: Float64Array,
    first: number,
    isStore: boolean,
    slot: number,
    object: SimObject | null,
    leaf: number,
  ): void {
    const { missedLevels } = this.caches;
    const { missClass, isCompulsoryShared, dprofRule, store } = this.classifier;
    for (let level = 0; level < missedLevels; level++) {
      const columns = Counter.levels[level];
      this.misses[level]++;
      values[first + (isStore ? columns.missStores : columns.missLoads)]++;
      values[first + columns.classes[missClass[level]]]++;
      if (isCompulsoryShared[level]) values[first + columns.compulsoryShared]++;
      values[first + columns.dprof[dprofRule[level]]]++;
    }
    if (missedLevels < 3) this.hits[missedLevels]++;
    if (store !== null && (missClass[0] === TRUE_SHARING || missClass[0] === FALSE_SHARING))
      this.sharing.add(missClass[0], slot, object, leaf, store);
  }

  private countWhole(values: Float64Array, first: number, whole: WholeOutcome): void {
    this.latency += whole.tlbCycles;
    for (let level = 0; level < whole.tlbMisses; level++) values[first + Counter.tlbMisses[level]]++;
    Counter.prefetch.forEach(({ issued, hits }, level) => {
      values[first + issued] += whole.prefetchIssued[level];
      values[first + hits] += whole.prefetchHits[level];
    });
  }

  /** Of a line that several cores refer to. */
  private countShared(
    values: Float64Array,
    first: number,
    line: number,
    isStore: boolean,
    slot: number,
    object: SimObject | null,
  ): void {
    this.sharedLines.reference(line, this.core, isStore);
    if (this.sharedLines.isTransfer) {
      values[first + Counter.transfers]++;
      const slotKind = this.catalog.slots.kind[slot];
      const isAtomic = slotKind >= SlotKind.atomicLoad && slotKind <= SlotKind.atomicResult;
      if (isAtomic || this.locks.holdsAny(this.thread)) values[first + Counter.orderBoundTransfers]++;
    }
    if (object !== null && this.sharedLines.isWriteShared) object.isWriteShared = true;
  }

  /** To a line that several cores refer to. */
  private recordStore(
    line: number,
    begin: number,
    end: number,
    slot: number,
    object: SimObject | null,
    address: number,
  ): void {
    const { lifeCount } = this.objects;
    const { core, tallies } = this;
    const sharer = this.caches.unitOf[0][core];
    const store = {
      sequence: this.references,
      sharer,
      slot,
      object: object?.number ?? NO_INDEX,
      leaf: tallies.leaf,
      address,
      livesThen: lifeCount,
    };
    this.classifier.recordStore(core, store, line, begin, end);
  }
}
