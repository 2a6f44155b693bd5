// Stage: HTML page. Exact shares beside those that each sampler says, type by type.

import * as Plot from '@observablehq/plot';
import { MEASURE_TEXT } from '../../src/hardware/report/resample-words.js';
import type { ResampledType, Resampling } from '../../src/hardware/validate/resample.js';
import type { Measure } from '../../src/hardware/validate/sampled-shares.js';
import { colourLegend, figure, LABELLED_AXIS_PIXELS } from '../charts.js';
import { nameColumn, rateColumn } from '../columns.js';
import { element } from '../elements.js';
import { briefName, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { LINE_COLOURS } from './error-chart.js';
import { resamplingPage } from './resampling-page.js';

const ROW_PIXELS = 30;
const LABEL_CHARACTERS = 30;
const CHARACTER_PIXELS = 6.6;

export const shares = resamplingPage({
  id: 'shares',
  title: 'Exact and sampled',
  group: 'Types',
  render: ({ data, measure, rows, controls }) => [
    element(
      'p',
      { class: 'lead' },
      'Of the types with the largest exact shares: what each sampler would have said, from all of its samples.',
    ),
    element('div', { class: 'controls' }, controls.measure),
    sharesFigure(data, measure, rows),
    buildTable(
      [
        nameColumn('type', 'type'),
        rateColumn('exact, %', 'exactPercent'),
        ...data.samplers.map(({ sampler }) => rateColumn<ResampledType>(`${sampler}, %`, `sampledPercent.${sampler}`)),
      ],
      rows,
      {
        caption: `Shares of ${MEASURE_TEXT[measure]}, exact and by sampler`,
        rows: 'types',
        search: ({ type }) => type,
      },
    ),
  ],
});

function sharesFigure({ samplers }: Resampling, measure: Measure, rows: readonly ResampledType[]): HTMLElement {
  const names = samplers.map(({ sampler }) => sampler);
  const dots = rows.flatMap(({ type, sampledPercent }, row) =>
    names.map((sampler) => ({
      row,
      sampler,
      percent: sampledPercent[sampler],
      title: `${spellName(type)}\n${sampler}: ${sampledPercent[sampler].toFixed(2)} %`,
    })),
  );
  const exact = rows.map(({ type, exactPercent }, row) => ({
    row,
    percent: exactPercent,
    title: `${spellName(type)}\nexact: ${exactPercent.toFixed(2)} %`,
  }));
  const longest = Math.min(LABEL_CHARACTERS, Math.max(4, ...rows.map(({ type }) => spellName(type).length)));
  const [first] = rows;
  return figure(
    {
      title: `Shares of ${MEASURE_TEXT[measure]}`,
      note: 'The bar is exact, dots are what samplers say.',
      alternative:
        first === undefined
          ? 'Nothing was counted.'
          : `Bars by type, largest first: ${spellName(first.type)} has ${first.exactPercent.toFixed(2)} %, and ` +
            `as sampled ${names.map((name) => `${name} ${first.sampledPercent[name].toFixed(2)}`).join(', ')}. ` +
            'The table below has all numbers.',
    },
    (width) =>
      Plot.plot({
        width,
        height: rows.length * ROW_PIXELS + 48,
        marginLeft: Math.min(width * 0.4, longest * CHARACTER_PIXELS + 16),
        marginTop: 4,
        marginBottom: LABELLED_AXIS_PIXELS,
        x: { label: 'percent →', grid: true },
        y: {
          label: null,
          domain: rows.map((_, row) => row),
          tickFormat: (row: number) => briefName(rows[row].type, LABEL_CHARACTERS),
          tickSize: 0,
        },
        color: { domain: names, range: LINE_COLOURS.slice(0, names.length) },
        marks: [
          Plot.barX(exact, {
            y: 'row',
            x: 'percent',
            fill: 'var(--other)',
            title: 'title',
            insetTop: 5,
            insetBottom: 5,
          }),
          Plot.dot(dots, {
            y: 'row',
            x: 'percent',
            fill: 'sampler',
            r: 4,
            title: 'title',
            stroke: 'var(--ground)',
            strokeWidth: 0.75,
          }),
          Plot.ruleX([0]),
        ],
      }),
    colourLegend([['exact', 'var(--other)'], ...names.map((name, index) => [name, LINE_COLOURS[index]] as const)]),
  );
}
