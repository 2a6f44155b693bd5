// Stage: hardware. The events of a recording as they become known: attributes first, then ids, names and PMUs.

import type { ByteView } from './byte-view.js';
import { describeEvent, MOST_EVENTS, readAttributes, sourceOf, type EventAttributes } from './perf-attributes.js';
import { SampleField } from './perf-layout.js';
import { SamplesError } from '../samples/samples-error.js';
import type { SampledEvent, Source } from '../samples/samples.js';

export class PerfEvent {
  name = '';
  pmu = '';
  samples = 0;
  source: Source;
  /** If `hasSampleIdAll`, other records than samples end with so many bytes; the time stands so far from the end. */
  readonly trailerBytes: number;
  readonly timeFromEnd: number;
  readonly cpuFromEnd: number;

  constructor(
    readonly index: number,
    readonly attributes: EventAttributes,
  ) {
    this.source = sourceOf(attributes, '', '');
    const { fields, hasSampleIdAll } = attributes;
    const present = (...bits: number[]): number => 8 * bits.filter((bit) => (fields & bit) !== 0).length;
    const { tid, time, id, streamId, cpu, identifier } = SampleField;
    this.trailerBytes = hasSampleIdAll ? present(tid, time, id, streamId, cpu, identifier) : 0;
    this.timeFromEnd = hasSampleIdAll && fields & time ? present(time, id, streamId, cpu, identifier) : 0;
    this.cpuFromEnd = hasSampleIdAll && fields & cpu ? present(cpu, identifier) : 0;
  }
}

export class EventTable {
  readonly events: PerfEvent[] = [];
  private readonly byId = new Map<number, PerfEvent>();
  /** Types of PMUs, by number. */
  private readonly pmus = new Map<number, string>();
  private lastId = -1;
  private last: PerfEvent | undefined;

  add(view: ByteView): PerfEvent {
    if (this.events.length === MOST_EVENTS)
      throw new SamplesError('event attributes', view.offset, `at most ${MOST_EVENTS} events`, 'more');
    const event = new PerfEvent(this.events.length, readAttributes(view));
    this.events.push(event);
    this.settle(event);
    return event;
  }

  addIds(event: PerfEvent, view: ByteView): void {
    for (let at = 0; at + 8 <= view.length; at += 8) this.byId.set(view.number(at), event);
  }

  name(event: PerfEvent | undefined, name: string): void {
    if (event === undefined || name === '') return;
    event.name = name;
    this.settle(event);
  }

  namePmu(type: number, name: string): void {
    this.pmus.set(type, name);
    this.events.forEach((event) => this.settle(event));
  }

  get pmuNames(): ReadonlyMap<number, string> {
    return this.pmus;
  }

  find(id: number): PerfEvent | undefined {
    if (id !== this.lastId) {
      this.lastId = id;
      this.last = this.byId.get(id);
    }
    return this.last;
  }

  /** The event whose layout says where a sample's id stands: all events agree, since the id tells them apart. */
  get first(): PerfEvent | undefined {
    return this.events[0];
  }

  describe(): SampledEvent[] {
    return this.events.map(({ attributes, name, pmu, samples }) => describeEvent(attributes, name, pmu, samples));
  }

  private settle(event: PerfEvent): void {
    event.pmu = this.pmus.get(event.attributes.type) ?? '';
    event.source = sourceOf(event.attributes, event.name, event.pmu);
  }
}
