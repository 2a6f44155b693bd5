// Stage: HTML page. Errors against numbers of samples, both on logarithmic axes: a line each for several types, or for
// several samplers; behind them what chance alone would do.

import * as Plot from '@observablehq/plot';
import { formatCount } from '../../src/base/format-number.js';
import type { ResampledType } from '../../src/hardware/validate/resample.js';
import { AXIS_COUNTS } from '../charts.js';
import { spellName } from '../names.js';

/** Ten types, ten colours: defined in page.css. */
export const LINE_COLOURS = Array.from({ length: 10 }, (_, index) => `var(--series-${index})`);

export interface ErrorPoint {
  readonly line: string;
  readonly samples: number;
  /** The absolute error in points. */
  readonly error: number;
  /** Whether chance alone would do as much. null: not said. */
  readonly isChance: boolean | null;
  readonly title: string;
}

export interface ChancePoint {
  readonly samples: number;
  readonly points: number;
}

/** By one sampler, of the share that chance moves most: the one nearest to a half. */
export function widestChance(
  rows: readonly ResampledType[],
  sampler: string,
): { readonly type: string; readonly points: readonly ChancePoint[] } | null {
  const [first, ...others] = rows;
  if (first === undefined) return null;
  const widest = others.reduce(
    (most, row) => (Math.abs(row.exactPercent - 50) < Math.abs(most.exactPercent - 50) ? row : most),
    first,
  );
  return {
    type: widest.type,
    points: widest.curve[sampler].flatMap(({ samples, chancePoints }) =>
      chancePoints === null ? [] : [{ samples, points: chancePoints }],
    ),
  };
}

/** Points; what is less is drawn there. */
const LEAST = 0.001;
const MOST = 100;

/** Lines in the order of their colours. */
export function drawErrors(
  points: readonly ErrorPoint[],
  lines: readonly string[],
  chance: readonly ChancePoint[],
  axis: string,
): (width: number) => Element {
  const shown = points.map((point) => ({ ...point, y: Math.max(LEAST, point.error) }));
  const low = 10 ** Math.floor(Math.log10(Math.min(0.1, ...shown.map(({ y }) => y))));
  const high = Math.min(
    MOST,
    10 ** Math.ceil(Math.log10(Math.max(1, ...shown.map(({ y }) => y), ...chance.map(({ points: most }) => most)))),
  );
  const band = chance.map(({ samples, points: most }) => ({
    samples,
    from: low,
    to: Math.min(high, Math.max(low, most)),
  }));
  const stroke = { stroke: 'line', strokeWidth: 1.5 } as const;
  return (width) =>
    Plot.plot({
      width,
      height: 360,
      marginLeft: 56,
      marginBottom: 44,
      x: {
        type: 'log',
        label: `${axis} →`,
        ticks: powers(...extent(points.map(({ samples }) => samples))),
        tickFormat: AXIS_COUNTS,
        grid: true,
      },
      y: {
        type: 'log',
        label: '↑ error, points',
        domain: [low, high],
        ticks: powers(low, high),
        tickFormat: (tick: number) => String(Number(tick.toPrecision(1))),
        grid: true,
      },
      color: { domain: [...lines], range: LINE_COLOURS.slice(0, lines.length) },
      marks: [
        Plot.areaY(band, { x: 'samples', y1: 'from', y2: 'to', fill: 'var(--other)', fillOpacity: 0.35 }),
        Plot.lineY(shown, { x: 'samples', y: 'y', z: 'line', ...stroke }),
        Plot.dot(
          shown.filter(({ isChance }) => isChance === true),
          { x: 'samples', y: 'y', r: 3, fill: 'var(--ground)', title: 'title', ...stroke },
        ),
        Plot.dot(
          shown.filter(({ isChance }) => isChance !== true),
          { x: 'samples', y: 'y', r: 3.5, fill: 'line', title: 'title' },
        ),
      ],
    });
}

function extent(values: readonly number[]): [number, number] {
  return [Math.max(1, Math.min(...values)), Math.max(1, ...values)];
}

function powers(least: number, most: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(most) + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(`1e${first + index}`));
}

export function titleOf(line: string, samples: number, words: string): string {
  return `${spellName(line)}\n${formatCount(samples)} samples: ${words}`;
}
