// Stage: HTML page. Samples beside the exact run: the verdict, what it is of, shares with their intervals as a plot and
// as tables.

import {
  headLines,
  MEASURE_TEXT,
  percent,
  spellVerdict,
  VERDICT_TEXT,
} from '../../src/hardware/report/samples-validation-words.js';
import { formatCount } from '../../src/base/format-number.js';
import type { MeasureReport, SampledShare, SamplesValidation } from '../../src/hardware/validate/validate-samples.js';
import { countColumn, nameColumn, rateColumn, wordsColumn, type Column } from '../columns.js';
import { choice, element } from '../elements.js';
import { spellName } from '../names.js';
import { labelledList } from '../pages/overview.js';
import type { PageDefinition } from '../pages/page-definition.js';
import { buildTable } from '../table.js';
import { intervalPlot } from './interval-plot.js';

const MOST_PLOTTED = 20;
const MOST_ROWS = 16;

export const sampledShares: PageDefinition = {
  id: 'overview',
  title: 'Samples and run',
  group: 'Validation',
  needs: ['validate-samples'],
  async render({ report, words, go }) {
    const data = await report.view<SamplesValidation>('validate-samples');
    const compared = data.measures.filter(({ verdict }) => verdict !== 'not-comparable');
    const measure = (compared.find((each) => each.measure === words.get('measure')) ?? compared[0])?.measure;
    const rows = data.rows.filter((row) => row.measure === measure);
    const [verdict, why] = spellVerdict(data).split(/: (.*)/s);
    return [
      element(
        'section',
        { class: 'takeaway', 'aria-label': 'What to take away' },
        element('p', { class: 'sentence' }, element('strong', {}, verdict), ': ', element('bdi', {}, spellName(why))),
      ),
      labelledList(headLines(data)),
      element('h2', {}, 'In all'),
      buildTable(measureColumns(data.measures), data.measures, { caption: 'What is compared', rows: 'measures' }),
      ...(measure === undefined
        ? []
        : [
            element('h2', {}, `Shares of ${MEASURE_TEXT[measure]} by ${data.by}`),
            element(
              'div',
              { class: 'controls' },
              choice(
                'shares of',
                compared.map((each) => [each.measure, MEASURE_TEXT[each.measure]] as const),
                measure,
                (asked) => go({ measure: asked }),
              ),
            ),
            intervalPlot(rows.slice(0, MOST_PLOTTED), rows.length, MEASURE_TEXT[measure], data.by),
            buildTable(shareColumns(data), rows, {
              caption: `Shares of ${MEASURE_TEXT[measure]}, exact and sampled`,
              rows: `${data.by}s`,
              search: ({ type, field, function: name }) => [type, field, name].join(' '),
              height: MOST_ROWS,
            }),
          ]),
      ...(data.levels.length === 0
        ? []
        : [
            element('h2', {}, 'Who served them'),
            buildTable(
              [
                nameColumn('level', 'level', { width: 14 }),
                rateColumn('exact %', 'exactPercent', {
                  meaning: '-: the simulator has no such level, or does not count it of loads or stores alone',
                }),
                rateColumn('sampled %', 'sampledPercent'),
                countColumn('samples', 'samples'),
              ],
              data.levels,
              { caption: 'Who served references, exact and sampled', rows: 'levels' },
            ),
          ]),
    ];
  },
};

function measureColumns(measures: readonly MeasureReport[]): Column<MeasureReport>[] {
  return [
    wordsColumn('measure', 'shares of', ({ measure }) => MEASURE_TEXT[measure], { width: 18 }),
    wordsColumn('verdict', 'verdict', ({ verdict }) => VERDICT_TEXT[verdict], { width: 12 }),
    nameColumn('of', 'of', { width: 11, meaning: 'what the samples are a draw of' }),
    countColumn('samples', 'samples'),
    countColumn('enough', 'enough', { meaning: 'samples with which every interval would be within the tolerance' }),
    rateColumn('rank correlation', 'rankCorrelation', { width: 15, meaning: "Spearman's: 1 if both rank alike" }),
    rateColumn('distance', 'distancePoints', { meaning: 'half the sum of all differences, in points' }),
    rateColumn('by chance', 'chancePoints', {
      meaning: 'what the distance is on average if nothing but chance is between them',
    }),
    ...(measures.some(({ reason }) => reason !== '')
      ? [nameColumn<MeasureReport>('why not', 'reason', { width: 30 })]
      : []),
  ];
}

function shareColumns({ by, tolerancePoints }: SamplesValidation): Column<SampledShare>[] {
  return [
    ...(by === 'function'
      ? [nameColumn<SampledShare>('function', 'function')]
      : [nameColumn<SampledShare>('type', 'type')]),
    ...(by === 'field' ? [nameColumn<SampledShare>('field', 'field', { width: 18, nothing: '(no field)' })] : []),
    rateColumn('exact %', 'exactPercent'),
    rateColumn('sampled %', 'sampledPercent'),
    rateColumn('low %', 'lowPercent', { meaning: '95 % interval of the sampled share (Wilson)' }),
    rateColumn('high %', 'highPercent', { meaning: '95 % interval of the sampled share (Wilson)' }),
    countColumn('samples', 'samples'),
    wordsColumn('verdict', 'verdict', ({ verdict }) => VERDICT_TEXT[verdict], {
      width: 10,
      meaning: `too few: the interval is wider than ${percent(tolerancePoints)} points to a side`,
    }),
    countColumn('enough', 'enough', {
      meaning: `samples with which the interval would be within ${formatCount(tolerancePoints)} points`,
    }),
  ];
}
