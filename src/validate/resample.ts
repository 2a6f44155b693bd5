// Stage: validation. What samplers drew, beside the exact shares -> how far off each is, by the number of samples, and which of the largest types it
// would not have shown: exactly the JSON of `dprof validate --resample`.

import type { DataProfileRow } from '../views/data-profile.js';
import type { DrawnSamples, NamedSamples } from './draw-samples.js';
import { SAMPLER_KINDS } from './samplers.js';

/** Shares of what: references, L1 misses, estimated cycles. */
export const MEASURES = ['references', 'misses', 'cycles'] as const;
export type Measure = (typeof MEASURES)[number];

export const MOST_FINDINGS = 10;
/** Points of the curve: every sample, then one in so many. */
const ONE_IN = [1, 3, 10, 30, 100, 300, 1000] as const;
export const TEN_TIMES = 10;

export interface Accuracy {
  /** Samples that say something of the measure: of misses, those that missed. */
  readonly samples: number;
  /** Of the types with the largest exact shares: the largest difference, in points. */
  readonly worstPoints: number | null;
  /** null, as the differences: no sample says anything. */
  readonly worstType: string | null;
  /** Half the sum of all differences, in points: what would have to be moved from type to type. */
  readonly distancePoints: number | null;
  /** Of the types with the largest exact shares: those that are not among as many largest of the samples. */
  readonly lost: readonly string[];
}

export interface SamplerReport {
  readonly sampler: string;
  readonly loadsOnly: boolean;
  readonly byLatency: boolean;
  readonly skids: boolean;
  readonly events: number;
  readonly period: number;
  readonly samples: number;
  readonly curve: readonly { readonly oneIn: number; readonly period: number; readonly measures: Readonly<Record<Measure, Accuracy>> }[];
}

/** Of one type, exact and as sampled, in percent. */
export interface ResampledType {
  readonly type: string;
  readonly measure: Measure;
  readonly exactPercent: number;
  readonly sampledPercent: Readonly<Record<string, number>>;
}

export interface Resampling {
  readonly schema: 'dprof.resample/1';
  readonly trace: string;
  readonly seed: number;
  readonly skid: number;
  readonly exact: Readonly<Record<Measure, number>>;
  readonly samplers: readonly SamplerReport[];
  /** The largest types by each measure. */
  readonly rows: readonly ResampledType[];
}

type Exact = Pick<DataProfileRow, 'type' | 'references' | 'misses' | 'averageLatencyCycles'>;

function exactOf({ references: { loads, stores }, misses: { l1 }, averageLatencyCycles }: Exact, measure: Measure): number {
  if (measure === 'references') return loads + stores;
  return measure === 'misses' ? l1.loads + l1.stores : (averageLatencyCycles ?? 0) * (loads + stores);
}

/** What a sample counts for: of one that was drawn by latency, cycles are counted by having drawn it. */
function weightOf({ times, isMiss, latency }: NamedSamples, sample: number, measure: Measure, byLatency: boolean): number {
  if (measure === 'misses') return isMiss[sample] * times[sample];
  return measure === 'cycles' && !byLatency ? latency[sample] * times[sample] : times[sample];
}

export function compareSamples(rows: readonly Exact[], { types, samplers }: DrawnSamples, named: { readonly trace: string; readonly seed: number; readonly skid: number }): Resampling {
  const exact = Object.fromEntries(MEASURES.map((measure) => [measure, shares(rows.map((row) => [row.type, exactOf(row, measure)]))])) as unknown as Record<Measure, ReadonlyMap<string, number>>;
  const reports = samplers.map((own): SamplerReport => {
    const kind = SAMPLER_KINDS.find(({ name }) => name === own.sampler)!;
    const { name: sampler, ...biases } = kind;
    const enough = ONE_IN.filter((oneIn) => own.type.length / oneIn >= MOST_FINDINGS || oneIn === 1);
    return {
      sampler, ...biases, events: own.events, period: own.period, samples: own.type.length,
      curve: enough.map((oneIn) => ({ oneIn, period: own.period * oneIn, measures: Object.fromEntries(MEASURES.map((measure) => [measure, judge(exact[measure], sampled(own, types, measure, oneIn, kind.byLatency))])) as Record<Measure, Accuracy> })),
    };
  });
  const all = samplers.map((own) => ({ own, byLatency: SAMPLER_KINDS.find(({ name }) => name === own.sampler)!.byLatency }));
  return {
    schema: 'dprof.resample/1', ...named,
    exact: Object.fromEntries(MEASURES.map((measure) => [measure, rows.reduce((sum, row) => sum + exactOf(row, measure), 0)])) as Record<Measure, number>,
    samplers: reports,
    rows: MEASURES.flatMap((measure) => {
      const said = all.map(({ own, byLatency }) => [own.sampler, sampled(own, types, measure, 1, byLatency).shares] as const);
      return largest(exact[measure]).map((type): ResampledType => ({
        type, measure, exactPercent: 100 * exact[measure].get(type)!, sampledPercent: Object.fromEntries(said.map(([sampler, own]) => [sampler, 100 * (own.get(type) ?? 0)])),
      }));
    }),
  };
}

interface Sampled {
  readonly samples: number;
  readonly shares: ReadonlyMap<string, number>;
}

/** Every `oneIn`th sample: what as many times the period would have drawn. */
function sampled(own: NamedSamples, types: readonly string[], measure: Measure, oneIn: number, byLatency: boolean): Sampled {
  const weights = new Float64Array(types.length);
  let samples = 0;
  for (let sample = oneIn - 1; sample < own.type.length; sample += oneIn) {
    const weight = weightOf(own, sample, measure, byLatency);
    if (weight === 0) continue;
    samples++;
    weights[own.type[sample]] += weight;
  }
  return { samples, shares: shares(types.map((type, row) => [type, weights[row]])) };
}

function shares(amounts: readonly (readonly [string, number])[]): Map<string, number> {
  const all = amounts.reduce((sum, [, amount]) => sum + amount, 0);
  return new Map(amounts.filter(([, amount]) => amount > 0).map(([name, amount]) => [name, amount / all]));
}

/** Types by share, largest first, then by name. */
function largest(of: ReadonlyMap<string, number>): string[] {
  return [...of].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1)).slice(0, MOST_FINDINGS).map(([type]) => type);
}

function judge(exact: ReadonlyMap<string, number>, { samples, shares: said }: Sampled): Accuracy {
  const findings = largest(exact);
  if (samples === 0) return { samples, worstType: null, worstPoints: null, distancePoints: null, lost: findings };
  const points = (type: string): number => 100 * Math.abs((said.get(type) ?? 0) - (exact.get(type) ?? 0));
  const [worstType = null] = [...findings].sort((a, b) => points(b) - points(a));
  const shown = new Set(largest(said));
  return {
    samples, worstType, worstPoints: worstType === null ? 0 : points(worstType),
    distancePoints: [...new Set([...exact.keys(), ...said.keys()])].reduce((sum, type) => sum + points(type) / 2, 0),
    lost: findings.filter((type) => !shown.has(type)),
  };
}
