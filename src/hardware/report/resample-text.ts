// Stage: validation -> text. The samples that hardware would have drawn of a run, compared with the run: samplers,
// their errors by number of samples, the largest types.

import { measuresOf, TABLE_ONE_IN, TEN_TIMES, type Resampling } from '../validate/resample.js';
import { MOST_FINDINGS, type Accuracy, type Measure } from '../validate/sampled-shares.js';
import { formatCount } from '../../base/format-number.js';
import { describeDraws, describeEvents, formatPeriod, MEASURE_TEXT, points } from './resample-words.js';
import { renderLabelled, wrap } from '../../report/text-lines.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable, type TextColumn } from '../../report/text-table.js';

const right = (heading: string, expendable?: number): TextColumn => ({
  heading,
  align: 'right',
  ...(expendable !== undefined && { expendable }),
});

export function renderResampling(data: Resampling, { width, strong, faint }: TextStyle): string {
  const parts = [
    renderLabelled(
      [
        ['trace', data.trace],
        [
          'exact',
          measuresOf(data)
            .map((measure) => `${formatCount(Math.round(data.exact[measure]))} ${MEASURE_TEXT[measure]}`)
            .join(', '),
        ],
        ['drawn', `seed ${data.seed}; skid of ${data.skid} instructions where there is one`],
      ],
      width,
    ),
    `${strong('samplers')}\n${renderSamplers(data, width)}`,
    ...measuresOf(data).flatMap((measure) => [
      `${strong(`shares of ${MEASURE_TEXT[measure]}: error by number of samples`)}\n` +
        `${renderCurves(data, measure, width)}`,
      `${strong(`largest by ${MEASURE_TEXT[measure]}, percent`)}\n${renderTypes(data, measure, width)}`,
    ]),
  ];
  const note =
    `worst: the largest difference among the ${MOST_FINDINGS} types of the largest exact shares, in points. ` +
    `distance: half the sum of all differences, in points. rank: Spearman's correlation of the order of all ` +
    `types. lost: of those ${MOST_FINDINGS}, how many are not among the ${MOST_FINDINGS} largest of the samples. ` +
    'Further rows of a sampler are of every n-th of its samples: n times the period.';
  return `${parts.join('\n\n')}\n${faint(
    wrap(note, width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function renderSamplers({ samplers, skid }: Resampling, width: number): string {
  return renderTable(
    [
      { heading: 'sampler', align: 'left' },
      { heading: 'draws', align: 'left' },
      right('of'),
      right('period'),
      right('samples'),
    ],
    samplers.map((own) => [
      own.sampler,
      describeDraws(own, skid),
      describeEvents(own),
      formatPeriod(own.period),
      formatCount(own.samples),
    ]),
    width,
  );
}

function renderCurves({ samplers }: Resampling, measure: Measure, width: number): string {
  return renderTable(
    [
      { heading: 'sampler', align: 'left' },
      right('period'),
      right('samples'),
      right('worst'),
      { heading: 'of', align: 'left', shortest: 12, expendable: 2 },
      right('distance', 1),
      right('rank', 4),
      right('lost'),
      { heading: 'which', align: 'left', shortest: 12, expendable: 3 },
    ],
    samplers.flatMap(({ sampler, curve }) =>
      curve
        .filter(({ oneIn }) => TABLE_ONE_IN.includes(oneIn))
        .map(({ oneIn, period, measures }) => [
          oneIn === 1 ? sampler : oneIn === TEN_TIMES ? '  ten times' : '',
          formatPeriod(period),
          ...accuracy(measures[measure]),
        ]),
    ),
    width,
  );
}

const accuracy = ({ samples, worstPoints, worstType, distancePoints, rankCorrelation, lost }: Accuracy): string[] => [
  formatCount(samples),
  points(worstPoints),
  worstType ?? '',
  points(distancePoints),
  points(rankCorrelation),
  formatCount(lost.length),
  lost.join(', '),
];

function renderTypes({ rows, samplers }: Resampling, measure: Measure, width: number): string {
  return renderTable(
    [
      { heading: 'type', align: 'left', shortest: 16 },
      right('exact'),
      ...samplers.map(({ sampler }) => right(sampler)),
    ],
    rows
      .filter((row) => row.measure === measure)
      .map(({ type, exactPercent, sampledPercent }) => [
        type,
        exactPercent.toFixed(2),
        ...samplers.map(({ sampler }) => sampledPercent[sampler].toFixed(2)),
      ]),
    width,
  );
}
