// Stage: validation. What samplers drew, beside the exact shares -> how far off each is, by the number of samples, and
// which of the largest types it would not have shown: exactly the JSON of `dprof validate --resample`.

import type { DrawnSamples, NamedSamples } from './draw-samples.js';
import {
  chancePoints,
  findLargest,
  judge,
  MEASURES,
  MOST_FINDINGS,
  shareOut,
  shareSamples,
  type Accuracy,
  type Measure,
  type SampledShares,
  type Shares,
} from './sampled-shares.js';
import { SAMPLER_KINDS, type SamplerKind } from './samplers.js';
import type { DataProfileRow } from '../../views/data-profile-rows.js';

/** Points of the curve: every sample, then one in so many. */
const ONE_IN = [1, 3, 10, 30, 100, 300, 1000] as const;
export const TEN_TIMES = 10;
/** Those that tables have. */
export const TABLE_ONE_IN: readonly number[] = ONE_IN.filter((oneIn) => Number.isInteger(Math.log10(oneIn)));

export interface SamplerReport extends Omit<SamplerKind, 'name'> {
  readonly sampler: string;
  readonly events: number;
  readonly period: number;
  readonly samples: number;
  readonly curve: readonly {
    readonly oneIn: number;
    readonly period: number;
    readonly measures: Readonly<Record<Measure, Accuracy>>;
  }[];
}

/** One sampler's estimate of a type's share, from one in so many of its samples. */
export interface TypePoint {
  readonly oneIn: number;
  /** Samples of all types that say something of the measure. */
  readonly samples: number;
  readonly sampledPercent: number;
  /** Sampled less exact. null, as chance: no sample says anything. */
  readonly errorPoints: number | null;
  /** 95 of 100 times, as many samples drawn alike are off by no more. */
  readonly chancePoints: number | null;
}

/** The share of one type, exact and as sampled, in percent. */
export interface ResampledType {
  readonly type: string;
  readonly measure: Measure;
  readonly exactPercent: number;
  /** The share in all samples, by sampler. */
  readonly sampledPercent: Readonly<Record<string, number>>;
  /** By sampler, all samples first. */
  readonly curve: Readonly<Record<string, readonly TypePoint[]>>;
}

export interface Resampling {
  readonly schema: 'dprof.resample/1';
  readonly trace: string;
  readonly seed: number;
  readonly skid: number;
  readonly exact: Readonly<Record<Measure, number>>;
  readonly samplers: readonly SamplerReport[];
  /** The largest types by each measure; none where nothing was counted, as transfers of one thread. */
  readonly rows: readonly ResampledType[];
}

/** Those of which there are any. */
export function measuresOf({ exact }: Pick<Resampling, 'exact'>): Measure[] {
  return MEASURES.filter((measure) => exact[measure] > 0);
}

type Exact = Pick<DataProfileRow, 'type' | 'references' | 'misses' | 'servedBy' | 'averageLatencyCycles'>;

function exactOf(
  { references: { loads, stores }, misses: { l1 }, servedBy, averageLatencyCycles }: Exact,
  measure: Measure,
): number {
  if (measure === 'references') return loads + stores;
  if (measure === 'transfers') return servedBy.cache + (servedBy['remote-cache'] ?? 0);
  return measure === 'misses' ? l1.loads + l1.stores : (averageLatencyCycles ?? 0) * (loads + stores);
}

/** By measure. */
type Every<Of> = Readonly<Record<Measure, Of>>;

function ofEvery<Of>(make: (measure: Measure) => Of): Every<Of> {
  return Object.fromEntries(MEASURES.map((measure) => [measure, make(measure)])) as Record<Measure, Of>;
}

interface Step {
  readonly oneIn: number;
  readonly sampled: Every<SampledShares>;
}

export function compareSamples(
  rows: readonly Exact[],
  { types, samplers }: DrawnSamples,
  named: { readonly trace: string; readonly seed: number; readonly skid: number },
): Resampling {
  const exact = ofEvery((measure) => shareOut(rows.map((row) => [row.type, exactOf(row, measure)])));
  const drawn = samplers.map((own) => {
    const kind = SAMPLER_KINDS.find(({ name }) => name === own.sampler)!;
    return { own, kind, steps: stepsOf(own, types, kind) };
  });
  return {
    schema: 'dprof.resample/1',
    ...named,
    exact: ofEvery((measure) => rows.reduce((sum, row) => sum + exactOf(row, measure), 0)),
    samplers: drawn.map(
      ({
        own: {
          events,
          period,
          type: { length },
        },
        kind: { name, ...biases },
        steps,
      }): SamplerReport => ({
        sampler: name,
        ...biases,
        events,
        period,
        samples: length,
        curve: steps.map(({ oneIn, sampled }) => ({
          oneIn,
          period: period * oneIn,
          measures: ofEvery((measure) => judge(exact[measure], sampled[measure])),
        })),
      }),
    ),
    rows: MEASURES.flatMap((measure) =>
      findLargest(exact[measure]).map((type) =>
        compareType(
          type,
          measure,
          exact[measure],
          drawn.map(({ kind, steps }) => ({ name: kind.name, steps })),
        ),
      ),
    ),
  };
}

/** As long as enough samples are left to show all findings. */
function stepsOf(own: NamedSamples, types: readonly string[], { byLatency }: SamplerKind): Step[] {
  const enough = ONE_IN.filter((oneIn) => oneIn === 1 || own.type.length / oneIn >= MOST_FINDINGS);
  return enough.map((oneIn) => ({
    oneIn,
    sampled: ofEvery((measure) => shareSamples(own, types, measure, oneIn, byLatency)),
  }));
}

function compareType(
  type: string,
  measure: Measure,
  exact: Shares,
  drawn: readonly { readonly name: string; readonly steps: readonly Step[] }[],
): ResampledType {
  const share = exact.get(type)!;
  const curves = drawn.map(
    ({ name, steps }) =>
      [name, steps.map(({ oneIn, sampled }) => pointOf(type, share, oneIn, sampled[measure]))] as const,
  );
  return {
    type,
    measure,
    exactPercent: 100 * share,
    sampledPercent: Object.fromEntries(curves.map(([name, [{ sampledPercent }]]) => [name, sampledPercent])),
    curve: Object.fromEntries(curves),
  };
}

function pointOf(
  type: string,
  share: number,
  oneIn: number,
  { samples, effectiveSamples, shares }: SampledShares,
): TypePoint {
  const said = shares.get(type) ?? 0;
  return {
    oneIn,
    samples,
    sampledPercent: 100 * said,
    errorPoints: samples === 0 ? null : 100 * (said - share),
    chancePoints: chancePoints(share, effectiveSamples),
  };
}
