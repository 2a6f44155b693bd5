// Stage: HTML page. The overview of a resampling: the sentence to take away, the worst error of each sampler against
// the number of samples, what each sampler is.

import {
  describeDraws,
  describeEvents,
  formatPeriod,
  MEASURE_TEXT,
  points,
} from '../../src/hardware/report/resample-words.js';
import { formatCount } from '../../src/base/format-number.js';
import {
  measuresOf,
  TABLE_ONE_IN,
  TEN_TIMES,
  type ResampledType,
  type Resampling,
  type SamplerReport,
} from '../../src/hardware/validate/resample.js';
import { MOST_FINDINGS, type Accuracy, type Measure } from '../../src/hardware/validate/sampled-shares.js';
import { colourLegend, figure } from '../charts.js';
import { countColumn, rateColumn, wordsColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { labelledList, takeawaySection } from '../pages/overview.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import type { Takeaway, Words } from '../takeaway.js';
import { drawErrors, LINE_COLOURS, titleOf, widestChance, type ErrorPoint } from './error-chart.js';
import { resamplingPage } from './resampling-page.js';

export const overview = resamplingPage({
  id: 'overview',
  title: 'How many samples',
  group: 'Report',
  render: ({ data, measure, rows, controls }) => [
    takeawaySection(takeAwayResampling(data)),
    element('div', { class: 'controls' }, controls.measure),
    worstFigure(data, measure, rows),
    samplersTable(data, measure),
    element('h2', {}, 'What was drawn from'),
    labelledList([
      ['trace', data.trace],
      [
        'exact',
        measuresOf(data)
          .map((one) => `${formatCount(Math.round(data.exact[one]))} ${MEASURE_TEXT[one]}`)
          .join(', '),
      ],
      ['drawn', `seed ${data.seed}; skid of ${data.skid} instructions where there is one`],
      ...data.samplers.map(
        (own) =>
          [
            own.sampler,
            `${describeDraws(own, data.skid)}: ${formatCount(own.samples)} samples of ${describeEvents(own)}, ` +
              `period ${formatPeriod(own.period)}`,
          ] as const,
      ),
    ]),
  ],
});

function takeAwayResampling({ samplers }: Resampling): Takeaway {
  const [even] = samplers;
  const others = samplers.slice(1);
  const worst = (own: SamplerReport): Accuracy => own.curve[0].measures.references;
  const furthest = [...others].sort((a, b) => (worst(b).worstPoints ?? 0) - (worst(a).worstPoints ?? 0))[0];
  const ten = even.curve.find(({ oneIn }) => oneIn === TEN_TIMES)?.measures.misses;
  const ofType = (accuracy: Accuracy): Words =>
    accuracy.worstType === null ? [] : [' (', { name: accuracy.worstType }, ')'];
  return {
    sentence: [
      `${formatCount(even.samples)} samples drawn alike are off by at most ${points(worst(even).worstPoints)} ` +
        `points in the shares of references of the ${MOST_FINDINGS} largest types`,
      ...ofType(worst(even)),
      '.',
    ],
    further: [
      ...(furthest === undefined
        ? []
        : [
            [
              `Drawn as ${furthest.sampler} draws, ${formatCount(furthest.samples)} are off by up to ` +
                `${points(worst(furthest).worstPoints)} points`,
              ...ofType(worst(furthest)),
              ', and more samples do not help where that is a bias.',
            ] satisfies Words,
          ]),
      ...(ten === undefined
        ? []
        : [
            [
              `At ten times the period ${formatCount(ten.samples)} samples have missed the L1; of the ` +
                `${MOST_FINDINGS} types with most L1 misses they lose ${ten.lost.length}.`,
            ],
          ]),
    ],
    next: { page: 'lost', type: null, label: 'Findings that are lost' },
  };
}

function worstFigure({ samplers }: Resampling, measure: Measure, rows: readonly ResampledType[]): HTMLElement {
  const drawn = samplers.flatMap(({ sampler, curve }) =>
    curve.flatMap(
      ({
        measures: {
          [measure]: { samples, worstPoints, worstType },
        },
      }): ErrorPoint[] =>
        worstPoints === null
          ? []
          : [
              {
                line: sampler,
                samples,
                error: worstPoints,
                isChance: null,
                title: titleOf(
                  sampler,
                  samples,
                  `${points(worstPoints)} points off at worst${worstType === null ? '' : `, ${worstType}`}`,
                ),
              },
            ],
    ),
  );
  const names = samplers.map(({ sampler }) => sampler);
  const chance = widestChance(rows, names[0]);
  const worstOfAll = samplers.map(
    ({ sampler, curve }) => `${sampler} ${points(curve[0].measures[measure].worstPoints)} points`,
  );
  return figure(
    {
      title: `Largest error in shares of ${MEASURE_TEXT[measure]}, by sampler`,
      note:
        `Of the ${MOST_FINDINGS} largest types. Grey: where 95 of 100 samplings that are drawn alike would be, ` +
        `for the share that chance moves most${chance === null ? '' : ` (${spellName(chance.type)})`}.`,
      alternative:
        'Lines by sampler, samples on the horizontal axis, error on the vertical one, both logarithmic. With all ' +
        `samples: ${worstOfAll.join(', ')}.`,
    },
    drawErrors(drawn, names, chance?.points ?? [], `samples that say something of ${MEASURE_TEXT[measure]}`),
    colourLegend(names.map((name, index) => [name, LINE_COLOURS[index]])),
  );
}

function samplersTable({ samplers }: Resampling, measure: Measure): HTMLElement {
  const longest = Math.max(...samplers.map(({ curve }) => curve.length));
  const at = samplers
    .find(({ curve }) => curve.length === longest)!
    .curve.map(({ oneIn }) => oneIn)
    .flatMap((oneIn, index) => (TABLE_ONE_IN.includes(oneIn) ? [{ oneIn, index }] : []));
  const columns: Column<SamplerReport>[] = [
    wordsColumn('sampler', 'sampler', ({ sampler }) => sampler),
    ...at.flatMap(({ oneIn, index }): Column<SamplerReport>[] => {
      const path = `curve.${index}.measures.${measure}`;
      const when = oneIn === 1 ? '' : ` at ${oneIn} x`;
      return [
        countColumn(`samples${when}`, `${path}.samples`, { meaning: `that say something of ${MEASURE_TEXT[measure]}` }),
        rateColumn(`worst${when}`, `${path}.worstPoints`, {
          meaning: `of the ${MOST_FINDINGS} largest types, in points`,
        }),
        ...(oneIn === 1
          ? [
              rateColumn<SamplerReport>('distance', `${path}.distancePoints`, {
                meaning: 'half the sum of all differences, in points',
              }),
              rateColumn<SamplerReport>('rank', `${path}.rankCorrelation`, {
                meaning: "Spearman's correlation of the order of all types",
              }),
            ]
          : []),
        countColumn(`lost${when}`, `${path}.lost.length`, {
          meaning:
            `of the ${MOST_FINDINGS} largest types, those that are not among the ${MOST_FINDINGS} largest of the ` +
            'samples',
        }),
      ];
    }),
  ];
  return buildTable(columns, samplers, {
    caption: `Samplers: how far off they are in shares of ${MEASURE_TEXT[measure]}`,
    rows: 'samplers',
  });
}
