// Stage: samples -> profile. What samples say of the accesses at one place to a part of a type: load or store, by whom
// they were served, how long they took.

import { varianceOfMean } from '../../base/intervals.js';
import type { TypedSamples } from '../samples/typed-samples.js';
import { SERVERS } from '../../contract/machine.js';
import type { PathBy } from '../../replay/places.js';
import type { SampledInput } from './sampled-input.js';
import { outcomeOf } from '../samples/outcome.js';
import { placeKey, type AnyPlace } from './sampled-names.js';

/** Weighted by periods. */
export interface Met {
  /** The number of those whose server is known. */
  readonly samples: number;
  /** By SERVERS: shares, null where no server is known. */
  readonly served: readonly number[] | null;
  readonly timed: number;
  readonly meanLatency: number | null;
  /** The variance of that mean. */
  readonly latencyVariance: number;
  readonly hasStores: boolean;
  readonly hasLoads: boolean;
}

interface Row {
  readonly offset: number;
  readonly typed: TypedSamples;
  readonly row: number;
}

export class MetSamples {
  readonly #rows = new Map<string, Row[]>();
  readonly #known = new Map<string, Met | null>();

  constructor(
    { samples }: SampledInput,
    private readonly by: PathBy,
  ) {
    for (const { value: typed } of samples) {
      for (let row = 0; row < typed.rows.type.length; row++) {
        const key = this.#key(typed.types[typed.rows.type[row]].name, typed.places[typed.rows.place[row]]);
        const own = this.#rows.get(key);
        const met = { offset: Number(typed.rows.offset[row]), typed, row };
        if (own === undefined) this.#rows.set(key, [met]);
        else own.push(met);
      }
    }
  }

  /** Samples of accesses that begin in these bytes; null: no sample met one. */
  at(type: string, offset: number, bytes: number, place: AnyPlace): Met | null {
    const key = this.#key(type, place);
    const id = `${offset} ${bytes} ${key}`;
    let met = this.#known.get(id);
    if (met === undefined)
      this.#known.set(
        id,
        (met = sumUp((this.#rows.get(key) ?? []).filter((row) => row.offset >= offset && row.offset < offset + bytes))),
      );
    return met;
  }

  #key(type: string, place: AnyPlace): string {
    return `${type}\n${placeKey(place, this.by)}`;
  }
}

function sumUp(rows: readonly Row[]): Met | null {
  if (rows.length === 0) return null;
  const served = SERVERS.map(() => 0);
  const all = { served: 0, samples: 0, timed: 0, period: 0, latency: 0, latencySquares: 0, cross: 0, periodSquares: 0 };
  let [hasStores, hasLoads] = [false, false];
  for (const {
    typed: { rows: columns },
    row,
  } of rows) {
    const { kind, server } = outcomeOf(columns.dataSource[row]);
    const [period, samples, weight] = [Number(columns.period[row]), columns.samples[row], Number(columns.weight[row])];
    hasStores ||= kind === 'store';
    hasLoads ||= kind === 'load';
    if (server !== null) {
      served[SERVERS.indexOf(server)] += period;
      all.served += period;
      all.samples += samples;
    }
    if (weight === 0) continue;
    const each = period / samples;
    all.timed += samples;
    all.period += period;
    all.periodSquares += columns.periodSquares[row];
    all.latency += each * weight;
    all.latencySquares += each ** 2 * columns.weightSquares[row];
    all.cross += each ** 2 * weight;
  }
  const mean = all.period === 0 ? null : all.latency / all.period;
  return {
    samples: all.samples,
    served: all.served === 0 ? null : served.map((period) => period / all.served),
    timed: all.timed,
    meanLatency: mean,
    latencyVariance:
      mean === null
        ? 0
        : varianceOfMean({
            mean,
            squares: all.latencySquares,
            products: all.cross,
            divisorSquares: all.periodSquares,
            divisor: all.period,
            samples: all.timed,
          }),
    hasStores,
    hasLoads,
  };
}
