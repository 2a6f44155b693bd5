// Stage: HTML page. The error of each of the largest types against the number of samples, by one sampler.

import { MEASURE_TEXT, describeDraws, points } from '../../src/hardware/report/resample-words.js';
import { TABLE_ONE_IN, type ResampledType, type Resampling } from '../../src/hardware/validate/resample.js';
import type { Measure } from '../../src/hardware/validate/sampled-shares.js';
import { colourLegend, figure } from '../charts.js';
import { nameColumn, rateColumn, signedColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import { plural } from '../../src/base/format-number.js';
import { drawErrors, LINE_COLOURS, titleOf, widestChance, type ErrorPoint } from './error-chart.js';
import { resamplingPage } from './resampling-page.js';

export const errors = resamplingPage({
  id: 'errors',
  title: 'Error by type',
  group: 'Types',
  render: ({ data, measure, sampler, rows, controls }) => [
    element(
      'p',
      { class: 'lead' },
      `What ${sampler} samples (` +
        `${describeDraws(data.samplers.find((one) => one.sampler === sampler)!, data.skid)}) say of the largest ` +
        'types, against what happened. An error that more samples do not make smaller is a bias.',
    ),
    element('div', { class: 'controls' }, controls.measure, controls.sampler),
    errorFigure(measure, sampler, rows),
    element('h2', {}, 'Each type'),
    buildTable(columnsOf(data, sampler), rows, {
      caption: `Shares of ${MEASURE_TEXT[measure]} and their errors, in points, by number of samples`,
      rows: 'types',
      search: ({ type }) => type,
    }),
  ],
});

function errorFigure(measure: Measure, sampler: string, rows: readonly ResampledType[]): HTMLElement {
  const lines = rows.map(({ type }) => type);
  const drawn = rows.flatMap(({ type, exactPercent, curve }) =>
    curve[sampler].flatMap(({ samples, sampledPercent, errorPoints, chancePoints }): ErrorPoint[] => {
      if (errorPoints === null) return [];
      const error = Math.abs(errorPoints);
      const words =
        `${sampledPercent.toFixed(2)} % of exact ${exactPercent.toFixed(2)} %, ${points(error)} points off; ` +
        `chance: ${points(chancePoints)}`;
      return [{ line: type, samples, error, isChance: error <= chancePoints!, title: titleOf(type, samples, words) }];
    }),
  );
  const chance = widestChance(rows, sampler);
  const beyond = rows.filter(({ curve }) => {
    const [{ errorPoints, chancePoints }] = curve[sampler];
    return errorPoints !== null && Math.abs(errorPoints) > chancePoints!;
  });
  return figure(
    {
      title: `${sampler}: error in shares of ${MEASURE_TEXT[measure]}`,
      note:
        'Grey: where 95 of 100 samplings that are drawn alike would be, for the share that chance moves most' +
        `${chance === null ? '' : ` (${spellName(chance.type)})`}. A full dot: further off than chance takes ` +
        `that type's own share.`,
      alternative:
        'Lines by type, samples on the horizontal axis, error on the vertical one, both logarithmic. With all ' +
        `samples ${plural(beyond.length, 'type')} of ${rows.length} ${beyond.length === 1 ? 'is' : 'are'} ` +
        'further off than chance' +
        `${beyond.length === 0 ? '' : `: ${beyond.map(({ type }) => spellName(type)).join(', ')}`}. The table ` +
        'below has the numbers.',
    },
    drawErrors(drawn, lines, chance?.points ?? [], `samples that say something of ${MEASURE_TEXT[measure]}`),
    colourLegend(lines.map((type, index) => [type, LINE_COLOURS[index]])),
  );
}

function columnsOf({ samplers }: Resampling, sampler: string): Column<ResampledType>[] {
  const { curve } = samplers.find((one) => one.sampler === sampler)!;
  const shown = curve.flatMap(({ oneIn }, index) => (TABLE_ONE_IN.includes(oneIn) ? [{ oneIn, index }] : []));
  return [
    nameColumn('type', 'type'),
    rateColumn('exact, %', 'exactPercent'),
    rateColumn('sampled, %', `curve.${sampler}.0.sampledPercent`),
    ...shown.flatMap(({ oneIn, index }) => [
      signedColumn<ResampledType>(oneIn === 1 ? 'error' : `at ${oneIn} x`, `curve.${sampler}.${index}.errorPoints`, {
        meaning: `points, sampled less exact${oneIn === 1 ? '' : `, at ${oneIn} times the period`}`,
      }),
      rateColumn<ResampledType>('chance', `curve.${sampler}.${index}.chancePoints`, {
        meaning: '95 of 100 samplings that are drawn alike are off by no more, in points',
      }),
    ]),
  ];
}
