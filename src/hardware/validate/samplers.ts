// Stage: validation. What a hardware profiler would have drawn from an exact run: seeded samples at a period, with the
// biases that hardware has.

import { finalise } from '../../base/finaliser.js';
import { Draws } from '../../order/draws.js';
import type { AccessObserver } from '../../sim/access-observer.js';
import type { SimObject } from '../../sim/sim-object.js';
import type { RecordTable } from '../../contract/catalog.js';

export interface SamplerKind {
  readonly name: string;
  /** Only loads count and are drawn (PEBS mem-loads). */
  readonly loadsOnly: boolean;
  /**
   * Cycles of latency are counted down, not accesses: slow accesses are drawn more often (a profiler that interrupts
   * by time, IBS by dispatched cycles).
   */
  readonly byLatency: boolean;
  /** The access that is drawn is the first one so many instructions behind the one at which the count ran out. */
  readonly skids: boolean;
  /** Loads and stores count down apart, stores from STORE_PERIODS times the period: CachePerf's 20,000 and 50,000. */
  readonly storesApart: boolean;
}

export const STORE_PERIODS = 2.5;

export const SAMPLER_KINDS: readonly SamplerKind[] = [
  { name: 'even', loadsOnly: false, byLatency: false, skids: false, storesApart: false },
  { name: 'cacheperf', loadsOnly: false, byLatency: false, skids: false, storesApart: true },
  { name: 'loads', loadsOnly: true, byLatency: false, skids: false, storesApart: false },
  { name: 'skid', loadsOnly: false, byLatency: false, skids: true, storesApart: false },
  { name: 'latency', loadsOnly: false, byLatency: true, skids: false, storesApart: false },
  { name: 'hardware', loadsOnly: true, byLatency: true, skids: true, storesApart: false },
];

/** Events of the whole run that are counted down: they only set the period, so about is enough. */
export interface SampledEvents {
  readonly accesses: number;
  readonly loads: number;
  readonly latencyCycles: number;
  readonly loadLatencyCycles: number;
}

export function eventsOf({ loadsOnly, byLatency, storesApart }: SamplerKind, events: SampledEvents): number {
  if (storesApart) return events.loads + (events.accesses - events.loads) / STORE_PERIODS;
  if (byLatency) return loadsOnly ? events.loadLatencyCycles : events.latencyCycles;
  return loadsOnly ? events.loads : events.accesses;
}

/** In order of the draw. */
export interface Drawn {
  readonly slot: number[];
  readonly leaf: number[];
  readonly object: (SimObject | null)[];
  readonly latency: number[];
  readonly isMiss: boolean[];
  readonly isTransfer: boolean[];
  /**
   * How often the count ran out at this access: more than once where its latency is longer than the period. A store
   * that is counted apart: STORE_PERIODS times that.
   */
  readonly weight: number[];
}

const FINE = 1 << 20;
/**
 * Distances of longer periods are within a tenth of them; shorter ones are anything up to twice, or they would keep
 * step with loops.
 */
const SHORT_PERIOD = 10;
const JITTER = 0.1;

class Sampler {
  /** Events that were counted down so far. */
  events = 0;
  readonly drawn: Drawn = { slot: [], leaf: [], object: [], latency: [], isMiss: [], isTransfer: [], weight: [] };
  /** By thread, so that what one does moves no draw of another. */
  private readonly draws: readonly Draws[];
  /** By thread: events to go. Behind those: stores to go, where they are counted apart. */
  private readonly left: Float64Array;
  /** By thread: the instruction from which on the next access is drawn, and how often; -1: none is awaited. */
  private readonly from: Float64Array;
  private readonly awaited: Float64Array;

  constructor(
    readonly kind: SamplerKind,
    private readonly period: number,
    private readonly skid: number,
    seed: number,
    private readonly threads: number,
  ) {
    this.draws = Array.from({ length: threads }, (_, thread) => new Draws(finalise(seed ^ finalise(thread + 1))));
    this.left = Float64Array.from(
      { length: kind.storesApart ? 2 * threads : threads },
      (_, counter) => this.uniform(counter % threads) * this.periodOf(counter >= threads),
    );
    this.from = new Float64Array(threads).fill(-1);
    this.awaited = new Float64Array(threads);
  }

  access(
    thread: number,
    position: number,
    isStore: boolean,
    slot: number,
    leaf: number,
    object: SimObject | null,
    latency: number,
    isMiss: boolean,
    isTransfer: boolean,
  ): void {
    const { loadsOnly, byLatency, skids } = this.kind;
    if (loadsOnly && isStore) return;
    if (this.from[thread] >= 0 && position >= this.from[thread]) {
      this.take(slot, leaf, object, latency, isMiss, isTransfer, this.awaited[thread]);
      this.from[thread] = -1;
    }
    const step = byLatency ? latency : 1;
    const isApart = this.kind.storesApart && isStore;
    const counter = isApart ? this.threads + thread : thread;
    this.events += step;
    this.left[counter] -= step;
    if (this.left[counter] > 0) return;
    let weight = 0;
    for (; this.left[counter] <= 0; weight += isApart ? STORE_PERIODS : 1)
      this.left[counter] += this.distance(thread, this.periodOf(isApart));
    if (!skids || this.skid === 0) return this.take(slot, leaf, object, latency, isMiss, isTransfer, weight);
    if (this.from[thread] >= 0) return void (this.awaited[thread] += weight);
    this.from[thread] = position + this.skid;
    this.awaited[thread] = weight;
  }

  private take(
    slot: number,
    leaf: number,
    object: SimObject | null,
    latency: number,
    isMiss: boolean,
    isTransfer: boolean,
    weight: number,
  ): void {
    const { drawn } = this;
    drawn.slot.push(slot);
    drawn.leaf.push(leaf);
    drawn.object.push(object);
    drawn.latency.push(latency);
    drawn.isMiss.push(isMiss);
    drawn.isTransfer.push(isTransfer);
    drawn.weight.push(weight);
  }

  private uniform(thread: number): number {
    return (this.draws[thread].below(FINE) + 0.5) / FINE;
  }

  private periodOf(isApart: boolean): number {
    return isApart ? this.period * STORE_PERIODS : this.period;
  }

  private distance(thread: number, period: number): number {
    return period * (period < SHORT_PERIOD ? 2 * this.uniform(thread) : 1 - JITTER + 2 * JITTER * this.uniform(thread));
  }
}

/** Draws with several samplers at once. An access lies in its segment as its slot does among the segment's. */
export class Samplers implements AccessObserver {
  readonly samplers: readonly Sampler[];
  private readonly position: Float64Array;
  private readonly next: Float64Array;
  private readonly perSlot: Float64Array;
  private readonly first: Float64Array;

  constructor(
    private readonly records: Pick<RecordTable, 'instructions' | 'slotCount' | 'firstSlot'>,
    kinds: readonly { readonly kind: SamplerKind; readonly period: number }[],
    skid: number,
    seed: number,
    threads: number,
  ) {
    this.samplers = kinds.map(({ kind, period }, index) => new Sampler(kind, period, skid, seed * 31 + index, threads));
    [this.position, this.next, this.perSlot, this.first] = Array.from({ length: 4 }, () => new Float64Array(threads));
  }

  segment(thread: number, record: number): void {
    const { instructions, slotCount, firstSlot } = this.records;
    this.position[thread] = this.next[thread];
    this.next[thread] += instructions[record];
    this.perSlot[thread] = instructions[record] / Math.max(1, slotCount[record]);
    this.first[thread] = firstSlot[record];
  }

  access(
    thread: number,
    isStore: boolean,
    slot: number,
    leaf: number,
    object: SimObject | null,
    latency: number,
    isMiss: boolean,
    isTransfer: boolean,
  ): void {
    const position = this.position[thread] + Math.max(0, slot - this.first[thread]) * this.perSlot[thread];
    for (const sampler of this.samplers)
      sampler.access(thread, position, isStore, slot, leaf, object, latency, isMiss, isTransfer);
  }
}
