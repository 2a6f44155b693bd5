// Stage: hardware -> plain data. What a sampling run came to, in a few numbers: samples of each event, what was lost,
// and which types have how large a share.

import { shareInterval } from '../../base/intervals.js';
import type { LostCounts } from './samples.js';
import type { TypedSamples } from './typed-samples.js';

export interface TypeShare {
  /** '': no type. */
  readonly type: string;
  readonly samples: number;
  /** The events that they stand for: the sum of their periods. */
  readonly events: number;
  /**
   * Their share of the events that all samples stand for, with its 95 % interval (Wilson's). null: there are no
   * samples.
   */
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface SampleSummary {
  readonly command: readonly string[];
  readonly ended: string;
  readonly seconds: number;
  readonly threads: number;
  readonly samples: number;
  /** The events that they stand for. */
  readonly eventsSampled: number;
  readonly events: readonly { readonly name: string; readonly samples: number; readonly period: number }[];
  readonly lost: LostCounts;
  readonly untyped: Readonly<Record<string, number>>;
  /** By share, then name. */
  readonly types: readonly TypeShare[];
}

export function summariseSamples(typed: TypedSamples): SampleSummary {
  const { rows, types } = typed;
  const samples = new Float64Array(types.length);
  const periods = new Float64Array(types.length);
  let allSquares = 0;
  for (let row = 0; row < rows.type.length; row++) {
    samples[rows.type[row]] += rows.samples[row];
    periods[rows.type[row]] += Number(rows.period[row]);
    allSquares += rows.periodSquares[row];
  }
  const all = periods.reduce((sum, period) => sum + period, 0);
  // Samples of unequal periods say as much as so many of equal ones.
  const draws = allSquares > 0 ? all ** 2 / allSquares : 0;
  const shares = types.map(
    ({ name }, type): TypeShare => ({
      type: name,
      samples: samples[type],
      events: periods[type],
      ...spread(periods[type] / all, draws),
    }),
  );
  return {
    command: typed.run.command,
    ended: typed.ended,
    seconds: Number(BigInt(typed.endNs) - BigInt(typed.startNs)) / 1e9,
    threads: typed.threads,
    samples: samples.reduce((sum, count) => sum + count, 0),
    eventsSampled: all,
    events: typed.events.map(({ name, samples: count, period }) => ({
      name,
      samples: count,
      period: Number(BigInt(period)),
    })),
    lost: typed.lost,
    untyped: typed.untyped,
    types: shares
      .filter((share) => share.samples > 0)
      .sort((a, b) => b.events - a.events || (a.type < b.type ? -1 : 1)),
  };
}

function spread(share: number, draws: number): Pick<TypeShare, 'share' | 'low' | 'high'> {
  const interval = shareInterval(share, draws);
  return interval === null ? { share: null, low: null, high: null } : { share, low: interval[0], high: interval[1] };
}
