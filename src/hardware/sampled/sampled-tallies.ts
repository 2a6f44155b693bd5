// Stage: samples -> profile. Rows of typed samples become tallies: each counter is the sum of the periods of the
// samples that say so, and beside it stand the sum of their squares, which is its variance, and how many they were.

import type { TypedSamples } from '../samples/typed-samples.js';
import { freezeRows, type RowOf } from '../../base/table-description.js';
import { sortRows, type Renumber } from '../../profile/table-rows.js';
import { TABLES } from '../../profile/tables.js';
import type { TallyColumns } from '../../profile/profile.js';
import {
  ESTIMATES,
  estimateIndex,
  LATENCY_NAMES,
  LATENCIES,
  SAMPLED_COUNTERS,
  type SampledTallyColumns,
} from '../../profile/sampled.js';
import { LEVELS, type LevelName } from '../../contract/machine.js';
import { COUNTERS, RULES } from '../../contract/result.js';
import type { SampledInput } from './sampled-input.js';
import type { SampledNames } from './sampled-names.js';
import { outcomeOf, type Outcome } from '../samples/outcome.js';

/** Shares of the misses at one place that are of each class; what they lack of 1 is unclassified. */
export interface ClassShares {
  readonly 'true-sharing': number;
  readonly 'false-sharing': number;
  readonly conflict: number;
  readonly capacity: number;
}

export interface MissClasses {
  /** null: no history says anything of it. */
  sharesOf(type: string, offset: number, place: TypedSamples['places'][number], level: LevelName): ClassShares | null;
}

/** Numbers of one row, by ESTIMATES. */
class Estimates {
  readonly sums = new Float64Array(ESTIMATES.length);
  readonly variance = new Float64Array(ESTIMATES.length);
  readonly samples = new Float64Array(ESTIMATES.length);
  readonly covariance = new Float64Array(LATENCY_NAMES.length);

  add(name: string, sum: number, variance: number, samples: number): void {
    const at = estimateIndex(name);
    this.sums[at] += sum;
    this.variance[at] += variance;
    this.samples[at] += samples;
  }
}

interface EstimatedRow extends RowOf<typeof TABLES.tallies.columns> {
  readonly estimates: Estimates;
}

export interface SampledTallies {
  freeze(renumber: Renumber): { readonly tallies: TallyColumns; readonly sampled: SampledTallyColumns };
  /** Over all rows. */
  readonly all: (name: string) => number;
}

export function tallySamples(
  { samples }: SampledInput,
  names: SampledNames,
  coreOf: (cpu: number) => number,
  classes: MissClasses | null,
): SampledTallies {
  const rows = new Map<string, EstimatedRow>();
  const all = new Estimates();
  for (const { value: typed } of samples) {
    const outcomes = new Map<bigint, Outcome>();
    for (let row = 0; row < typed.rows.type.length; row++) {
      const [type, place] = [typed.types[typed.rows.type[row]], typed.places[typed.rows.place[row]]];
      const offset = Number(typed.rows.offset[row]);
      const dataSource = typed.rows.dataSource[row];
      let outcome = outcomes.get(dataSource);
      if (outcome === undefined) outcomes.set(dataSource, (outcome = outcomeOf(dataSource)));
      const key = {
        type: names.type(type),
        field: names.field(type, offset),
        rule: RULES.indexOf(type.rule),
        site: names.site(place),
        origin: 0,
        core: coreOf(typed.rows.cpu[row]),
      };
      const id = Object.values(key).join(' ');
      let own = rows.get(id);
      if (own === undefined) {
        const estimates = new Estimates();
        rows.set(id, (own = { ...key, counters: estimates.sums.subarray(0, COUNTERS.length), estimates }));
      }
      const sharesOf = (level: LevelName): ClassShares | null =>
        classes?.sharesOf(type.name, offset, place, level) ?? null;
      for (const into of [own.estimates, all]) addRow(into, typed, row, outcome, sharesOf);
    }
  }
  return {
    freeze: (renumber) => freezeEstimates([...rows.values()], renumber),
    all: (name) => all.sums[estimateIndex(name)],
  };
}

function addRow(
  into: Estimates,
  { rows }: TypedSamples,
  row: number,
  { kind, missed, server }: Outcome,
  sharesOf: (level: LevelName) => ClassShares | null,
): void {
  const [period, squares, samples] = [Number(rows.period[row]), rows.periodSquares[row], rows.samples[row]];
  const add = (name: string, share = 1): void => into.add(name, share * period, share * squares, share * samples);
  add(kind === null ? 'kindUnknown' : kind === 'load' ? 'loads' : 'stores');
  add(`served.${server ?? 'unknown'}`);
  const suffix = kind === 'store' ? 'Stores' : 'Loads';
  LEVELS.forEach((level, index) => {
    if (kind === null) return;
    if (missed[index] === null) add(`${level}.unknown${suffix}`);
    if (missed[index] !== true) return;
    add(`${level}.miss${suffix}`);
    const shares = sharesOf(level);
    let left = 1;
    for (const [name, share] of Object.entries(shares ?? {})) {
      if (share === 0) continue;
      add(`${level}.${name}`, share);
      add(`${level}.dprof.${name.endsWith('sharing') ? 'invalidation' : name}`, share);
      left -= share;
    }
    if (left > 1e-12) add(`${level}.unclassified`, left);
  });
  addLatency(into, rows, row, missed[0] === true);
}

/** Adds the latency if the sample says it: stores of PEBS and hits of IBS do not. */
function addLatency(into: Estimates, rows: TypedSamples['rows'], row: number, isMiss: boolean): void {
  const weight = Number(rows.weight[row]);
  if (weight === 0) return;
  const [period, samples] = [Number(rows.period[row]), rows.samples[row]];
  const each = period / samples;
  LATENCY_NAMES.forEach((name, index) => {
    if (name === 'missLatencyCycles' && !isMiss) return;
    into.add(name, each * weight, each ** 2 * rows.weightSquares[row], samples);
    into.add(LATENCIES[name], period, rows.periodSquares[row], samples);
    into.covariance[index] += each ** 2 * weight;
  });
}

function freezeEstimates(
  rows: readonly EstimatedRow[],
  renumber: Renumber,
): { tallies: TallyColumns; sampled: SampledTallyColumns } {
  const sorted = sortRows<typeof TABLES.tallies.columns, EstimatedRow>(TABLES.tallies, rows, renumber);
  const join = (width: number, of: (row: EstimatedRow) => Float64Array): Float64Array => {
    const column = new Float64Array(sorted.length * width);
    sorted.forEach((row, at) => column.set(of(row), at * width));
    return column;
  };
  return {
    tallies: freezeRows(TABLES.tallies.columns, sorted),
    sampled: {
      extra: join(SAMPLED_COUNTERS.length, ({ estimates }) => estimates.sums.subarray(COUNTERS.length)),
      variance: join(ESTIMATES.length, ({ estimates }) => estimates.variance),
      samples: join(ESTIMATES.length, ({ estimates }) => estimates.samples),
      covariance: join(LATENCY_NAMES.length, ({ estimates }) => estimates.covariance),
    },
  };
}
