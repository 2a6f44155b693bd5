// Stage: HTML page. Blocks of machine code as points: what they compute against what they wait, on logarithmic axes. As
// in a roofline, where a point lies says what bounds it: above the diagonal its misses, below its instructions.

import * as Plot from '@observablehq/plot';
import { formatShare } from '../src/base/format-number.js';
import { BOUNDS } from '../src/report/block-words.js';
import { spellValue } from '../src/report/spell-value.js';
import type { BlockRow, Blocks } from '../src/views/blocks.js';
import { colourLegend, figure } from './charts.js';
import { spellName } from './names.js';

const BOUND_COLOURS: Readonly<Record<BlockRow['bound'], string>> = {
  compute: 'var(--series-0)',
  dependency: 'var(--series-1)',
  latency: 'var(--series-3)',
  sharing: 'var(--series-4)',
};

/** Cycles that an execution waits; what waits less, or never, is drawn there. */
const LEAST_WAIT = 0.01;
const HEIGHT = 420;
const [LEAST_RADIUS, MOST_RADIUS] = [3, 18];

/** `linkOf`: where a click on the block's point leads. */
export function blockPlot(view: Blocks, linkOf: (row: BlockRow) => string): HTMLElement {
  const { rows } = view;
  const all = view.cycles.compute + view.cycles.wait;
  const most = Math.max(...rows.map(({ cycles }) => cycles));
  // The largest first, so that it hides none.
  const points = [...rows]
    .sort((a, b) => b.cycles - a.cycles)
    .map((row) => ({
      compute: row.computeCycles,
      wait: Math.max(LEAST_WAIT, row.waitCycles),
      bound: row.bound,
      // Areas are as cycles are.
      radius: Math.max(LEAST_RADIUS, MOST_RADIUS * Math.sqrt(row.cycles / most)),
      href: linkOf(row),
      title: titleOf(row, all),
    }));
  const [left, right] = decades(points.map(({ compute }) => compute));
  const [, top] = decades([right, ...points.map(({ wait }) => wait)]);
  const diagonal = [Math.max(left, LEAST_WAIT), right].map((cycles) => ({ compute: cycles, wait: cycles }));
  const bounds = Object.keys(BOUNDS) as BlockRow['bound'][];
  const met = bounds.filter((bound) => rows.some((row) => row.bound === bound));
  return figure(
    {
      title: 'What an execution computes, and what it waits',
      note:
        'Above the diagonal it waits longer. Areas: share of the time. ' +
        `At the bottom: less than ${LEAST_WAIT} cycles.`,
      alternative: describe(view, all),
    },
    (width) =>
      Plot.plot({
        width,
        height: HEIGHT,
        marginLeft: 56,
        marginBottom: 44,
        x: axis('cycles computing →', [left, right]),
        y: axis('↑ cycles waiting', [LEAST_WAIT, top]),
        r: { type: 'identity' },
        color: { domain: met, range: met.map((bound) => BOUND_COLOURS[bound]) },
        marks: [
          Plot.line(diagonal, { x: 'compute', y: 'wait', stroke: 'var(--faint)', strokeDasharray: '4 3' }),
          Plot.dot(points, {
            x: 'compute',
            y: 'wait',
            r: 'radius',
            fill: 'bound',
            fillOpacity: 0.6,
            stroke: 'bound',
            title: 'title',
            href: 'href',
          }),
        ],
      }),
    colourLegend(met.map((bound) => [bound, BOUND_COLOURS[bound]])),
  );
}

function axis(label: string, domain: readonly [number, number]): Plot.ScaleOptions {
  const ticks = powers(...domain);
  return { type: 'log', label, domain, ticks, tickFormat: (tick: number) => String(tick), grid: true, clamp: true };
}

/** The powers of ten around all of them, two apart at least. */
function decades(values: readonly number[]): [number, number] {
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values)) + 1e-9));
  return [Number(`1e${least}`), Number(`1e${most}`)];
}

function powers(least: number, most: number): number[] {
  const [first, last] = [Math.round(Math.log10(least)), Math.round(Math.log10(most))];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`));
}

function titleOf({ function: own, site, bound, cycles, computeCycles, waitCycles }: BlockRow, all: number): string {
  const spell = (value: number): string => spellValue({ unit: 'cycles' }, value);
  return (
    `${spellName(own)}, ${spellName(site)}\n` +
    `${formatShare(cycles, all)} of the time. ${bound}: ${BOUNDS[bound]}\n` +
    `computes ${spell(computeCycles)} cycles, waits ${spell(waitCycles)}`
  );
}

function describe({ rows }: Blocks, all: number): string {
  const waiting = rows.filter(({ bound }) => bound === 'latency' || bound === 'sharing');
  const cycles = waiting.reduce((sum, row) => sum + row.cycles, 0);
  return (
    `Points by cycles that an execution computes and waits: ${waiting.length} of ${rows.length} wait longer than ` +
    `they compute, with ${formatShare(cycles, all)} of the time. The table below has every number.`
  );
}
