// Stage: replay. Accesses to references, one per line, and a reference to everything that it counts in: caches, class,
// tally, object, line.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../contract/input.js';
import { SERVERS } from '../contract/machine.js';
import { outcomeWord, withLatency } from '../contract/outcome-word.js';
import type { Catalog } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { SlotKind } from '../trace/layout.js';
import type { AccessObserver, EvictedLine, ReplayedReference } from './access-observer.js';
import type { CompleteMachine } from '../contract/complete-machine.js';
import { Counter, type Counted } from './counter-index.js';
import { Flow } from './flow.js';
import { Hierarchy } from './hierarchy.js';
import { Labels } from './labels.js';
import type { PathStep } from './life.js';
import { LineUses, type LineReference } from './line-uses.js';
import { LockAccounts } from './lock-accounts.js';
import type { OrderBinding } from './order-binding.js';
import { MissClassifier, type Miss } from './miss-classifier.js';
import { ObjectCounters } from './object-counters.js';
import type { Objects } from './objects.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { physicalLines } from './page-colours.js';
import { AccessKind, type AccessSink } from './references.js';
import { Sets } from './sets.js';
import type { SharedVariables, ThreadLines } from './shared-variables.js';
import { Sharing } from './sharing.js';
import { Stays } from './stays.js';
import { MemoryStructs } from './memory-structs.js';
import { Tallies } from './tallies.js';
import { UnusedBytes } from './unused-bytes.js';
import type { WindowBorders } from './window-borders.js';

const PROGRESS_STEP = 1 << 16;
const [CACHE, REMOTE_CACHE] = [SERVERS.indexOf('cache'), SERVERS.indexOf('remote-cache')];

/** The facts of one reference. */
interface Met {
  readonly tally: Counted;
  readonly object: SimObject | null;
  /** The step of the object's path, if paths are collected. */
  readonly step: PathStep | null;
  readonly latency: number;
  /** It missed the L1. */
  readonly isMiss: boolean;
  /** Another cache supplied the line. */
  readonly isSupplied: boolean;
  /** If somebody asks for it; what the access costs is not known yet. */
  readonly told?: ReplayedReference;
}

export class ReferenceReplay implements AccessSink {
  readonly tallies: Tallies;
  readonly memoryStructs: MemoryStructs;
  readonly sharing: Sharing;
  readonly caches: Hierarchy;
  readonly labels: Labels;
  readonly stays: Stays;
  readonly unusedBytes: UnusedBytes;
  readonly objectCounters = new ObjectCounters();
  /** null: not asked for. */
  readonly flow: Flow | null;
  readonly lockAccounts: LockAccounts;
  /** If they were asked for. */
  sharedVariables?: SharedVariables;
  /** Is told of each access after it is replayed. Only a replay that draws samples of an exact run has one. */
  observer: AccessObserver | null = null;
  /** As in ReplayedReference, of the accesses that come. */
  callers: () => readonly number[] = () => [];
  /** The thread of the accesses that come. */
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
  private readonly lineUses: LineUses;
  private readonly classifier: MissClassifier;
  /** By server. */
  private readonly latencies: readonly number[];
  private readonly progress: Float64Array | null;
  /** If an observer asks for it: what the access under way loads or stores, and the one that comes. */
  private accessed: bigint | null = null;
  private nextValue: bigint | null = null;

  constructor(
    input: ReplayInput,
    machine: CompleteMachine,
    private readonly objects: Objects,
    private readonly binding: OrderBinding,
    private readonly borders: WindowBorders | null,
    private readonly threadLines?: ThreadLines,
  ) {
    const { catalog } = input;
    this.catalog = catalog;
    this.lineBytes = machine.lineBytes;
    const physicalLine = physicalLines(machine);
    const sets = new Sets(machine, physicalLine);
    this.tallies = new Tallies(catalog);
    this.memoryStructs = new MemoryStructs(catalog);
    this.labels = new Labels(catalog);
    this.flow = input.flow ? new Flow(input.flow, sets, objects) : null;
    this.unusedBytes = new UnusedBytes(catalog, objects, this.labels, machine.lineBytes);
    this.stays = new Stays(sets, this.labels, this.unusedBytes, this.flow);
    this.lockAccounts = new LockAccounts(catalog, objects, this.labels);
    this.sharing = new Sharing(objects);
    this.caches = new Hierarchy(machine, physicalLine, this.stays);
    this.classifier = new MissClassifier(this.caches);
    this.lineUses = new LineUses(machine.lineBytes, objects);
    this.latencies = [
      machine.l1.latencyCycles,
      machine.l2.latencyCycles,
      machine.llc.latencyCycles,
      machine.cacheToCacheLatencyCycles,
      machine.memoryLatencyCycles,
      machine.remoteCacheLatencyCycles,
      machine.remoteMemoryLatencyCycles,
    ];
    this.progress = input.progress ? new Float64Array(input.progress) : null;
  }

  /** A window begins: what was counted is forgotten; caches, histories, votes and labels stay. */
  restartCounts(time: number): void {
    this.accessCount = this.loads = this.outsideLife = 0;
    this.hits.fill(0);
    this.misses.fill(0);
    this.caches.restartCounts();
    this.tallies.restart();
    this.memoryStructs.restart();
    this.sharing.restart();
    this.stays.restart(time);
    this.objectCounters.restart();
    this.sharedVariables?.restart();
    this.lockAccounts.restart();
    this.flow?.restart();
  }

  /** A step comes: `time` is the replay time, of a segment before it. */
  beginStep(time: number): void {
    this.stays.now = time;
    this.flow?.beginStep(time);
  }

  finish(time: number): void {
    this.stays.finish(time);
    if (this.progress) this.progress[0] = this.references;
  }

  /** The object is referenced no more. */
  settle(object: SimObject): void {
    this.labels.settle(object);
    this.memoryStructs.settle(object);
    this.tallies.settle(object);
    this.flow?.settle(object);
  }

  /** Of the access that comes. */
  value(step: EventDecoder, word: number): void {
    if (this.observer?.reference) this.nextValue = (BigInt(step.hi[word]) << 32n) | BigInt(step.lo[word]);
  }

  /** An access that crosses lines is one reference per line, ascending; its latency is that of its slowest one. */
  access(kind: number, address: number, sizeBytes: number, slot: number): void {
    const { lineBytes } = this;
    this.accessed = this.nextValue;
    this.nextValue = null;
    const end = address + sizeBytes;
    if (this.borders?.isSkipping === true) {
      this.skipped += Math.floor((end - 1) / lineBytes) - Math.floor(address / lineBytes) + 1;
      return;
    }
    this.accessCount++;
    this.threadLines?.access(this.thread, address);
    this.sharedVariables?.access(this.thread, address, slot, this.objects.find(address));
    const isStore = kind !== AccessKind.load;
    const met: Met[] = [];
    for (let at = address; at < end; ) {
      const until = Math.min(end, (Math.floor(at / lineBytes) + 1) * lineBytes);
      met.push(this.reference(isStore, at, until - at, slot));
      at = until;
    }
    this.countAccess(met, isStore, slot);
  }

  /** Latency is counted with the access's first reference. */
  private countAccess(met: readonly Met[], isStore: boolean, slot: number): void {
    const [{ tally, object, step }] = met;
    const latency = Math.max(...met.map((reference) => reference.latency));
    const isMiss = met.some((reference) => reference.isMiss);
    tally.counters[Counter.latencyCycles] += latency;
    if (step !== null) step.latencyCycles += latency;
    if (isMiss) {
      tally.counters[Counter.missLatencyCycles] += latency;
      if (object !== null) this.objectCounters.latency(object, latency);
    }
    if (met[0].told) this.tell(met, latency, isMiss);
    const isTransfer = met.some(({ isSupplied }) => isSupplied);
    this.observer?.access?.(this.thread, isStore, slot, tally.leaf, object, latency, isMiss, isTransfer);
  }

  /** The first reference costs what the slowest does; the others nothing. */
  private tell(met: readonly Met[], latency: number, isMiss: boolean): void {
    const { told: slowest } = met.find((reference) => reference.latency === latency)!;
    met.forEach(({ told }, index) => {
      const outcome = withLatency(told!.outcome, index === 0 ? slowest!.outcome : null, isMiss);
      this.observer!.reference!({ ...told!, outcome });
    });
  }

  /** One reference to so many bytes, which lie in one line. It belongs to the object at its first byte. */
  private reference(isStore: boolean, address: number, sizeBytes: number, slot: number): Met {
    const { core, caches } = this;
    this.references++;
    if (this.progress !== null && this.references % PROGRESS_STEP === 0) this.progress[0] = this.references;
    const line = Math.floor(address / this.lineBytes);
    const begin = address - line * this.lineBytes;
    const end = begin + sizeBytes;
    const object = this.objects.find(address);
    const tally = this.tallies.of(slot, core, object, address);

    this.stays.begin({ slot, object, line, begin, end, units: caches.unitOf.map((of) => of[core]) });
    caches.reference(core, line, isStore, address, slot);
    const misses = this.classifier.reference(core, line, begin, end, caches.missedLevels);
    this.count(tally.counters, isStore, misses);
    this.countSharing(misses, slot, object, tally.leaf);
    const use = this.countUse(tally.counters, line, isStore, slot, object);
    if (isStore) {
      const { lifeCount: livesThen } = this.objects;
      const store = { slot, object: object?.number ?? NO_INDEX, leaf: tally.leaf, address, livesThen };
      this.classifier.recordStore(core, { sequence: this.references, ...store }, line, begin, end);
    }

    const step = object === null ? null : this.countObject(object, isStore, slot, address, sizeBytes, misses);
    if (object === null && this.objects.wasFreed(address)) this.outsideLife++;
    this.lockAccounts.reference(this.thread, slot, object, misses);
    return {
      tally,
      object,
      step,
      latency: this.latencies[caches.server] + caches.tlbCycles,
      isMiss: misses.length > 0,
      isSupplied: caches.server === CACHE || caches.server === REMOTE_CACHE,
      told: this.told(isStore, slot, address, sizeBytes, object, misses, use),
    };
  }

  private told(
    isStore: boolean,
    slot: number,
    address: number,
    sizeBytes: number,
    object: SimObject | null,
    misses: readonly Miss[],
    { isTransfer, isOrderBoundTransfer }: LineReference,
  ): ReplayedReference | undefined {
    if (!this.observer?.reference || this.borders?.isAhead('from') === true) return undefined;
    const { server, tlbMisses } = this.caches;
    const { now, evictedLines, invalidations } = this.stays;
    return {
      slot,
      thread: this.thread,
      core: this.core,
      address,
      sizeBytes,
      time: now,
      callers: this.callers(),
      object: object && {
        number: object.number,
        offset: address - object.address,
        site: object.kind === ObjectKind.heap ? object.allocationSlot : NO_INDEX,
        age: now - object.lifeBegan,
      },
      outcome: outcomeWord({ isStore, server, misses, isTransfer, isOrderBoundTransfer, tlbMisses }),
      value: this.accessed,
      evicted: evictedLines.map((evicted) => (evicted === null ? null : this.evicted(evicted * this.lineBytes))),
      invalidated: invalidations,
    };
  }

  private evicted(address: number): EvictedLine {
    return { address, object: this.objects.find(address)?.number ?? null };
  }

  private count(counters: number[], isStore: boolean, misses: readonly Miss[]): void {
    const { server, tlbMisses, prefetchIssued, prefetchHits } = this.caches;
    if (!isStore) this.loads++;
    counters[isStore ? Counter.stores : Counter.loads]++;
    counters[Counter.served[server]]++;
    misses.forEach(({ missClass, isCompulsoryShared, dprofRule }, level) => {
      const columns = Counter.levels[level];
      this.misses[level]++;
      counters[isStore ? columns.missStores : columns.missLoads]++;
      counters[columns.classes[missClass]]++;
      if (isCompulsoryShared) counters[columns.compulsoryShared]++;
      counters[columns.dprof[dprofRule]]++;
    });
    if (misses.length < this.hits.length) this.hits[misses.length]++;
    for (let level = 0; level < tlbMisses; level++) counters[Counter.tlbMisses[level]]++;
    Counter.prefetch.forEach(({ issued, hits }, level) => {
      counters[issued] += prefetchIssued[level];
      counters[hits] += prefetchHits[level];
    });
  }

  /** A miss of the L1 that a store is behind is attributed to the pair of what missed and what was stored. */
  private countSharing(misses: readonly Miss[], slot: number, object: SimObject | null, leaf: number): void {
    const store = misses[0]?.store;
    if (store) this.sharing.add(misses[0].missClass, slot, object, leaf, store);
  }

  /** A reference is order-bound if its thread is, or the slot is an atomic. */
  private countUse(
    counters: number[],
    line: number,
    isStore: boolean,
    slot: number,
    object: SimObject | null,
  ): LineReference {
    const slotKind = this.catalog.slots.kind[slot];
    const isAtomic = slotKind >= SlotKind.atomicLoad && slotKind <= SlotKind.atomicResult;
    const isOrderBound = isAtomic || this.binding.isBound(this.thread);
    const use = this.lineUses.reference(line, this.core, isStore, isOrderBound);
    const { isTransfer, isOrderBoundTransfer, isWriteShared } = use;
    if (object !== null && isWriteShared) object.isWriteShared = true;
    if (isTransfer) counters[Counter.transfers]++;
    if (isOrderBoundTransfer) counters[Counter.orderBoundTransfers]++;
    return use;
  }

  /** An object is bounced if a reference to it came from another core than the one before. */
  private countObject(
    object: SimObject,
    isStore: boolean,
    slot: number,
    address: number,
    sizeBytes: number,
    misses: readonly Miss[],
  ): PathStep | null {
    object.references++;
    object.isBounced ||= object.lastCore !== -1 && object.lastCore !== this.core;
    object.lastCore = this.core;
    this.objectCounters.reference(object, isStore, misses);
    const line = Math.floor(address / this.lineBytes);
    return this.flow?.reference(object, slot, this.core, address, sizeBytes, line, this.caches.server) ?? null;
  }
}
