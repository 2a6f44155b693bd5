// Stage: validation. A trace and its events in all -> what each sampler drew, as the names of types: the run is
// replayed by the TypeScript engine, and looked at.

import { StringBuilder, RowTypeBuilder, SiteBuilder } from '../../profile/name-tables.js';
import { RowNames } from '../../profile/row-names.js';
import { NO_INDEX } from '../../base/ids.js';
import type { ReplayInput } from '../../contract/input.js';
import { simulate } from '../../sim/simulate.js';
import { eventsOf, SAMPLER_KINDS, Samplers, type SampledEvents } from './samplers.js';

export interface DrawRequest {
  readonly events: SampledEvents;
  /** Events between two samples; undefined: as many as make `samples`. */
  readonly period?: number;
  readonly samples: number;
  readonly skid: number;
  readonly seed: number;
}

/** One sampler's, in order of the draw. */
export interface NamedSamples {
  readonly sampler: string;
  readonly events: number;
  readonly period: number;
  /** Row of `types`. */
  readonly type: Uint32Array;
  readonly latency: Float64Array;
  readonly isMiss: Uint8Array;
  readonly isTransfer: Uint8Array;
  /** As samplers have it. */
  readonly weight: Float64Array;
}

export interface DrawnSamples {
  readonly types: readonly string[];
  readonly samplers: readonly NamedSamples[];
}

export function drawSamples(input: ReplayInput, { events, period, samples, skid, seed }: DrawRequest): DrawnSamples {
  const { catalog, threads } = input;
  const kinds = SAMPLER_KINDS.map((kind) => ({
    kind,
    period: period ?? Math.max(1, eventsOf(kind, events) / samples),
  }));
  const observer = new Samplers(catalog.records, kinds, skid, seed, threads.length);
  const { objects } = simulate(input, observer);
  const strings = new StringBuilder();
  const rowTypes = new RowTypeBuilder(strings);
  const names = new RowNames(catalog, strings, rowTypes, new SiteBuilder(strings));
  const types: string[] = [];
  const rowOf = new Map<string, number>();
  const nameOf = (slot: number, object: number, leaf: number): number => {
    const name = rowTypes.name(names.access(slot, objects, object, leaf).type);
    let row = rowOf.get(name);
    if (row === undefined) {
      row = types.length;
      rowOf.set(name, row);
      types.push(name);
    }
    return row;
  };
  return {
    types,
    samplers: observer.samplers.map(({ kind, drawn, events: counted }, index) => ({
      sampler: kind.name,
      events: counted,
      period: kinds[index].period,
      type: Uint32Array.from(drawn.slot, (slot, sample) =>
        nameOf(slot, drawn.object[sample]?.number ?? NO_INDEX, drawn.leaf[sample]),
      ),
      latency: Float64Array.from(drawn.latency),
      isMiss: Uint8Array.from(drawn.isMiss, Number),
      isTransfer: Uint8Array.from(drawn.isTransfer, Number),
      weight: Float64Array.from(drawn.weight),
    })),
  };
}
