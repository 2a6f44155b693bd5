// Stage: HTML page. A plot of each name's exact share as a stroke, and its sampled share as a dot in its interval.

import * as Plot from '@observablehq/plot';
import type { Estimate } from '../../src/base/estimate.js';
import type { SampledShare } from '../../src/hardware/validate/validate-samples.js';
import { percent, VERDICT_TEXT } from '../../src/hardware/report/samples-validation-words.js';
import { colourLegend, figure, LABELLED_AXIS_PIXELS } from '../charts.js';
import { briefName, spellName } from '../names.js';

const ROW_PIXELS = 22;
const LABEL_CHARACTERS = 34;
const CHARACTER_PIXELS = 6.6;
const SERIES = [
  ['exact', 'var(--accent)'],
  ['sampled, with its 95 % interval', 'var(--other)'],
] as const;

export function intervalPlot(rows: readonly SampledShare[], all: number, measure: string, by: string): HTMLElement {
  const cells = rows.map((row, at) => {
    const sampled = estimateIn(row);
    return {
      at,
      exact: row.exactPercent,
      // What no sample says is not drawn.
      sampled: sampled?.value,
      low: sampled?.low,
      high: sampled?.high,
      title:
        `${nameOf(row)}: exact ${row.exactPercent.toFixed(2)} %, sampled ${spell(sampled)}: ` +
        `${VERDICT_TEXT[row.verdict]}`,
    };
  });
  const longest = Math.max(4, ...rows.map((row) => Math.min(LABEL_CHARACTERS, nameOf(row).length)));
  const differing = rows.filter(({ verdict }) => verdict === 'differs');
  const [first] = rows;
  return figure(
    {
      title: `Shares of ${measure} by ${by}, exact and sampled`,
      note: rows.length < all ? `The ${rows.length} largest of ${all}.` : undefined,
      alternative:
        first === undefined
          ? 'No shares.'
          : `Rows by ${by}, largest exact share first: ${nameOf(first)} has ${first.exactPercent.toFixed(2)} %, ` +
            `sampled ${spell(estimateIn(first))}. ${differing.length} of ${rows.length} differ. ` +
            'The table below has every number.',
    },
    (width) =>
      Plot.plot({
        width,
        marginLeft: Math.min(width * 0.4, longest * CHARACTER_PIXELS + 16),
        marginTop: 4,
        marginBottom: LABELLED_AXIS_PIXELS,
        height: cells.length * ROW_PIXELS + 52,
        x: { label: `percent of ${measure}`, grid: true, ticks: Math.max(2, Math.floor(width / 110)) },
        y: {
          label: null,
          type: 'band',
          domain: cells.map(({ at }) => at),
          tickFormat: (at: number) =>
            briefName(nameOf(rows[at]), Math.min(LABEL_CHARACTERS, Math.floor((width * 0.4) / CHARACTER_PIXELS))),
          tickSize: 0,
        },
        marks: [
          Plot.ruleX([0]),
          Plot.link(cells, {
            x1: 'low',
            x2: 'high',
            y1: 'at',
            y2: 'at',
            stroke: SERIES[1][1],
            strokeWidth: 3,
            strokeOpacity: 0.6,
          }),
          Plot.dot(cells, { x: 'sampled', y: 'at', r: 4, fill: SERIES[1][1], title: 'title' }),
          Plot.tickX(cells, {
            x: 'exact',
            y: 'at',
            stroke: SERIES[0][1],
            strokeWidth: 3,
            insetTop: 3,
            insetBottom: 3,
            title: 'title',
          }),
        ],
      }),
    colourLegend(SERIES),
  );
}

/** The sampled share in percent; null: no sample says anything. */
function estimateIn({ sampledPercent, lowPercent, highPercent }: SampledShare): Estimate | null {
  return sampledPercent === null ? null : { value: sampledPercent, low: lowPercent, high: highPercent };
}

/** "12.34 % (11.02 to 13.80)" */
function spell(estimate: Estimate | null): string {
  if (estimate === null) return 'nothing';
  const { value, low, high } = estimate;
  return `${percent(value)} % (${percent(low)} to ${percent(high)})`;
}

function nameOf({ type, field, function: name }: SampledShare): string {
  return spellName(type === null ? (name ?? '') : field === null ? type : `${type}.${field}`);
}
