// Stage: validation. What a hardware profiler would have drawn from an exact run: seeded samples at a period, with the biases that hardware has.

import { Draws } from '../order/draws.js';
import type { AccessObserver } from '../sim/access-observer.js';
import type { SimObject } from '../sim/sim-object.js';
import type { RecordTable } from '../trace/catalog.js';

export interface SamplerKind {
  readonly name: string;
  /** Only loads count and are drawn (PEBS mem-loads). */
  readonly loadsOnly: boolean;
  /** What counts down is cycles of latency, not accesses: who takes long is drawn more often (a profiler that interrupts by time, IBS by dispatched cycles). */
  readonly byLatency: boolean;
  /** The access that is drawn is the first one so many instructions behind the one at which the count ran out. */
  readonly skids: boolean;
}

export const SAMPLER_KINDS: readonly SamplerKind[] = [
  { name: 'even', loadsOnly: false, byLatency: false, skids: false },
  { name: 'loads', loadsOnly: true, byLatency: false, skids: false },
  { name: 'skid', loadsOnly: false, byLatency: false, skids: true },
  { name: 'latency', loadsOnly: false, byLatency: true, skids: false },
  { name: 'hardware', loadsOnly: true, byLatency: true, skids: true },
];

/** What is counted down, over the whole run: only a period follows from it, so about is enough. */
export interface SampledEvents {
  readonly accesses: number;
  readonly loads: number;
  readonly latencyCycles: number;
  readonly loadLatencyCycles: number;
}

export function eventsOf({ loadsOnly, byLatency }: SamplerKind, events: SampledEvents): number {
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
  /** How often the count ran out at this access: more than once where its latency is longer than the period. */
  readonly times: number[];
}

const FINE = 1 << 20;
/** Distances of longer periods are within a tenth of them; shorter ones are anything up to twice, or they would keep step with loops. */
const SHORT_PERIOD = 10;
const JITTER = 0.1;

class Sampler {
  /** What was counted down so far. */
  events = 0;
  readonly drawn: Drawn = { slot: [], leaf: [], object: [], latency: [], isMiss: [], times: [] };
  private readonly draws: Draws;
  /** By thread: events to go. */
  private readonly left: Float64Array;
  /** By thread: the instruction from which on the next access is drawn, and how often; -1: none is awaited. */
  private readonly from: Float64Array;
  private readonly awaited: Float64Array;

  constructor(readonly kind: SamplerKind, private readonly period: number, private readonly skid: number, seed: number, threads: number) {
    this.draws = new Draws(seed);
    this.left = Float64Array.from({ length: threads }, () => this.uniform() * period);
    this.from = new Float64Array(threads).fill(-1);
    this.awaited = new Float64Array(threads);
  }

  access(thread: number, position: number, isStore: boolean, slot: number, leaf: number, object: SimObject | null, latency: number, isMiss: boolean): void {
    const { loadsOnly, byLatency, skids } = this.kind;
    if (loadsOnly && isStore) return;
    if (this.from[thread] >= 0 && position >= this.from[thread]) {
      this.take(slot, leaf, object, latency, isMiss, this.awaited[thread]);
      this.from[thread] = -1;
    }
    this.events += byLatency ? latency : 1;
    this.left[thread] -= byLatency ? latency : 1;
    if (this.left[thread] > 0) return;
    let times = 0;
    for (; this.left[thread] <= 0; times++) this.left[thread] += this.distance();
    if (!skids) return this.take(slot, leaf, object, latency, isMiss, times);
    if (this.from[thread] >= 0) return void (this.awaited[thread] += times);
    this.from[thread] = position + this.skid;
    this.awaited[thread] = times;
  }

  private take(slot: number, leaf: number, object: SimObject | null, latency: number, isMiss: boolean, times: number): void {
    const { drawn } = this;
    drawn.slot.push(slot);
    drawn.leaf.push(leaf);
    drawn.object.push(object);
    drawn.latency.push(latency);
    drawn.isMiss.push(isMiss);
    drawn.times.push(times);
  }

  private uniform(): number {
    return (this.draws.below(FINE) + 0.5) / FINE;
  }

  private distance(): number {
    return this.period * (this.period < SHORT_PERIOD ? 2 * this.uniform() : 1 - JITTER + 2 * JITTER * this.uniform());
  }
}

/** Draws with several samplers at once. An access lies in its segment as its slot does among the segment's. */
export class Samplers implements AccessObserver {
  readonly samplers: readonly Sampler[];
  private readonly position: Float64Array;
  private readonly next: Float64Array;
  private readonly perSlot: Float64Array;
  private readonly first: Float64Array;

  constructor(private readonly records: Pick<RecordTable, 'instructions' | 'slotCount' | 'firstSlot'>, kinds: readonly { readonly kind: SamplerKind; readonly period: number }[], skid: number, seed: number, threads: number) {
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

  access(thread: number, isStore: boolean, slot: number, leaf: number, object: SimObject | null, latency: number, isMiss: boolean): void {
    const position = this.position[thread] + Math.max(0, slot - this.first[thread]) * this.perSlot[thread];
    for (const sampler of this.samplers) sampler.access(thread, position, isStore, slot, leaf, object, latency, isMiss);
  }
}
