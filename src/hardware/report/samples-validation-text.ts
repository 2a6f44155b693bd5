// Stage: validation -> text. Samples beside the exact run: the verdict, shares side by side with their intervals, and
// what samples see that no trace has.

import type { SkidRow } from '../validate/skid.js';
import type { MeasureReport, SampledShare, SamplesValidation } from '../validate/validate-samples.js';
import { formatCount, formatShare } from '../../base/format-number.js';
import {
  FOREIGN_TEXT,
  headLines,
  MEASURE_TEXT,
  percent,
  spellVerdict,
  VERDICT_TEXT,
} from './samples-validation-words.js';
import { briefSite } from '../../views/sites.js';
import { renderLabelled, wrap } from '../../report/text-lines.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable, type TextColumn } from '../../report/text-table.js';

const right = (heading: string, expendable?: number): TextColumn => ({
  heading,
  align: 'right',
  ...(expendable !== undefined && { expendable }),
});
const left = (heading: string, shortest: number, expendable?: number): TextColumn => ({
  heading,
  align: 'left',
  shortest,
  ...(expendable !== undefined && { expendable }),
});

function skidTable(rows: readonly SkidRow[], width: number): string {
  return renderTable(
    [right('samples'), left('type', 12), left('field', 8), left('sampled in', 12), left('at', 12)],
    rows.map(({ samples, type, field, function: name, site }) => [
      formatCount(samples),
      type,
      field ?? '',
      name,
      briefSite(site) ?? '',
    ]),
    width,
  );
}

export function renderSamplesValidation(
  data: SamplesValidation,
  { top, style }: { readonly top: number; readonly style: TextStyle },
): string {
  const { width, strong, hot, faint } = style;
  const more = (rows: readonly unknown[]): string =>
    rows.length > top ? `\n${formatCount(rows.length - top)} more: --top` : '';
  const section = <Row>(
    heading: string,
    rows: readonly Row[],
    render: (rows: readonly Row[], width: number) => string,
  ): string[] => (rows.length === 0 ? [] : [`${strong(heading)}\n${render(rows.slice(0, top), width)}${more(rows)}`]);
  const parts = [
    (data.verdict === 'agrees' ? strong : hot)(spellVerdict(data)),
    renderLabelled(headLines(data), width),
    [
      `${strong('shares of a measure')}\n${renderMeasures(data.measures, width)}`,
      ...data.measures
        .filter(({ reason }) => reason !== '')
        .map(({ measure, reason }) => `${MEASURE_TEXT[measure]}: ${reason}`),
    ].join('\n'),
    ...data.measures.flatMap(({ measure }) =>
      section(
        `${MEASURE_TEXT[measure]} by ${data.by}, percent`,
        data.rows.filter((row) => row.measure === measure),
        renderShares,
      ),
    ),
    ...section('served by, percent', data.levels, (rows) =>
      renderTable(
        [left('level', 8), right('exact'), right('sampled'), right('samples')],
        rows.map(({ level, exactPercent, sampledPercent, samples }) => [
          level,
          percent(exactPercent),
          percent(sampledPercent),
          formatCount(samples),
        ]),
        width,
      ),
    ),
    ...section('samples by type', data.verdict === 'not-comparable' ? data.typed : [], (rows) =>
      renderTable(
        [right('samples'), left('type', 12), left('field', 8), left('sampled in', 12)],
        rows.map(({ samples, type, field, function: name }) => [formatCount(samples), type, field ?? '', name]),
        width,
      ),
    ),
    ...section('samples in code that was not instrumented', data.foreign, (rows) =>
      renderTable(
        [right('samples'), right('of all'), left('function', 12), left('module', 12), left('why', 12)],
        rows.map(({ reason, module, function: name, samples }) => [
          formatCount(samples),
          formatShare(samples, data.counts.all),
          name,
          briefSite(module) ?? '',
          FOREIGN_TEXT[reason],
        ]),
        width,
      ),
    ),
    ...section('skid: no access of the function is to this', data.skid.rows, (rows) => skidTable(rows, width)),
    ...section('named differently by the trace: not judged', data.skid.namedRows, (rows) => skidTable(rows, width)),
  ];
  return `${parts.join('\n\n')}\n${faint(
    wrap(noteOf(data), width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function renderMeasures(measures: readonly MeasureReport[], width: number): string {
  return renderTable(
    [
      left('measure', 10),
      left('of', 5, 4),
      right('samples'),
      right('effective', 2),
      left('verdict', 8),
      right('rank correlation', 3),
      right('distance'),
      right('by chance'),
      right('enough', 1),
    ],
    measures.map(
      ({ measure, of, samples, effectiveSamples, verdict, rankCorrelation, distancePoints, chancePoints, enough }) => {
        if (verdict === 'not-comparable')
          return [MEASURE_TEXT[measure], of ?? '-', formatCount(samples), '', 'not compared'];
        return [
          MEASURE_TEXT[measure],
          of ?? '-',
          formatCount(samples),
          formatCount(Math.round(effectiveSamples)),
          VERDICT_TEXT[verdict],
          rankCorrelation?.toFixed(3) ?? '-',
          percent(distancePoints),
          percent(chancePoints),
          formatCount(enough),
        ];
      },
    ),
    width,
  );
}

function renderShares(rows: readonly SampledShare[], width: number): string {
  const isByFunction = rows[0].function !== null;
  const hasFields = rows.some(({ field }) => field !== null);
  return renderTable(
    [
      left(isByFunction ? 'function' : 'type', 16),
      ...(hasFields ? [left('field', 8)] : []),
      right('exact'),
      right('sampled'),
      right('low', 2),
      right('high', 2),
      right('samples'),
      left('verdict', 7),
    ],
    rows.map(
      ({ type, field, function: name, exactPercent, sampledPercent, lowPercent, highPercent, samples, verdict }) => [
        type ?? name ?? '',
        ...(hasFields ? [field ?? ''] : []),
        percent(exactPercent),
        percent(sampledPercent),
        percent(lowPercent),
        percent(highPercent),
        formatCount(samples),
        VERDICT_TEXT[verdict],
      ],
    ),
    width,
  );
}

function noteOf({ measures, tolerancePoints }: SamplesValidation): string {
  const names = formatCount(measures[0].names);
  return (
    'low, high: 95 % interval of the sampled share (Wilson). differs: at most one of twenty comparisons of ' +
    `${names} names at once, drawn from the exact run, would show it (Chernoff's bound). too few: the interval ` +
    `is wider than ${tolerancePoints} points to a side. enough: samples that would do. distance: half the sum of ` +
    'all differences, in points; by chance: what it is on average where nothing else is between them. effective: ' +
    'as many samples of equal weight would be as sure.'
  );
}
