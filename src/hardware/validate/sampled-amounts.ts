// Stage: validation. Rows of typed samples -> how much of a measure each type, field or function has by them, and how
// sure that is.

import { outcomeOf } from '../samples/outcome.js';
import { sampledFieldAt, type TypedSamples } from '../samples/typed-samples.js';
import { fieldName, tracedField, type ComparedBy, type Measure } from './exact-amounts.js';

export interface SampledAmount {
  samples: number;
  /** The amount that they stand for, and the sum of the squares of each sample's amount. */
  weight: number;
  weightSquares: number;
}

export interface SampledAmounts {
  readonly amounts: ReadonlyMap<string, SampledAmount>;
  /** The amount of all samples with a name. */
  readonly all: SampledAmount;
  /** Samples that say something of the measure, but have no name. */
  readonly unnamed: SampledAmount;
}

/** `known`: the names that the trace has. */
function sampledName(
  { rows, types, places }: TypedSamples,
  row: number,
  by: ComparedBy,
  known: { has(name: string): boolean },
): string | null {
  if (by === 'function') return places[rows.place[row]].function || null;
  const type = types[rows.type[row]];
  if (rows.type[row] === 0) return null;
  return by === 'type'
    ? type.name
    : fieldName(type.name, tracedField(known, type.name, sampledFieldAt(type, Number(rows.offset[row]))?.path ?? null));
}

/** Sums the rows that `counts` wants. */
export function sampledAmounts(
  samples: TypedSamples,
  by: ComparedBy,
  measure: Measure,
  known: { has(name: string): boolean },
  counts: (row: number) => boolean,
): SampledAmounts {
  const [all, unnamed] = [nothing(), nothing()];
  const amounts = new Map<string, SampledAmount>();
  const { rows } = samples;
  for (let row = 0; row < rows.type.length; row++) {
    if (!counts(row) || !says(samples, row, measure)) continue;
    const name = sampledName(samples, row, by, known);
    const amount = amountOf(samples, row, measure);
    if (name === null) {
      add(unnamed, amount);
      continue;
    }
    let own = amounts.get(name);
    if (own === undefined) amounts.set(name, (own = nothing()));
    add(own, amount);
    add(all, amount);
  }
  return { amounts, all, unnamed };
}

/** Events whose samples say something of the measure, hits too: of others nothing follows from silence. */
export function eventsThatSay(samples: TypedSamples, measure: Measure): ReadonlySet<number> {
  const { rows } = samples;
  const saying = new Set<number>();
  rows.event.forEach((event, row) => {
    if (measure === 'misses' ? hasMissed(samples, row) !== null : says(samples, row, measure)) saying.add(event);
  });
  return saying;
}

function says(samples: TypedSamples, row: number, measure: Measure): boolean {
  if (samples.rows.samples[row] === 0) return false;
  if (measure === 'references') return true;
  if (measure === 'cycles') return samples.rows.weight[row] > 0n;
  return hasMissed(samples, row) === true;
}

/** The L1; null: nobody knows. */
function hasMissed({ rows }: TypedSamples, row: number): boolean | null {
  return outcomeOf(rows.dataSource[row]).missed[0];
}

/**
 * A row has the sum of its samples' latencies, not each one with its period: all its samples are taken to have one
 * period. Samples that record no period count as one event each.
 */
function amountOf({ rows }: TypedSamples, row: number, measure: Measure): SampledAmount {
  const samples = rows.samples[row];
  const period = Number(rows.period[row]) || samples;
  if (measure !== 'cycles') return { samples, weight: period, weightSquares: rows.periodSquares[row] || samples };
  return {
    samples,
    weight: (period / samples) * Number(rows.weight[row]),
    weightSquares: (period / samples) ** 2 * rows.weightSquares[row],
  };
}

export function nothing(): SampledAmount {
  return { samples: 0, weight: 0, weightSquares: 0 };
}

function add(to: SampledAmount, { samples, weight, weightSquares }: SampledAmount): void {
  to.samples += samples;
  to.weight += weight;
  to.weightSquares += weightSquares;
}
