// Stage: validation -> text. What hardware would have said of a run, beside what happened: samplers, their errors by number of samples, the largest types.

import { MEASURES, MOST_FINDINGS, TEN_TIMES, type Accuracy, type Measure, type Resampling } from '../validate/resample.js';
import { formatCount } from './format-number.js';
import { renderLabelled, wrap } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { renderTable, type TextColumn } from './text-table.js';

const MEASURE_TEXT: Readonly<Record<Measure, string>> = { references: 'references', misses: 'L1 misses', cycles: 'estimated cycles' };

const right = (heading: string, expendable?: number): TextColumn => ({ heading, align: 'right', ...(expendable !== undefined && { expendable }) });

export function renderResampling(data: Resampling, { width, strong, faint }: TextStyle): string {
  const parts = [
    renderLabelled([['trace', data.trace], ['exact', MEASURES.map((measure) => `${formatCount(Math.round(data.exact[measure]))} ${MEASURE_TEXT[measure]}`).join(', ')], ['drawn', `seed ${data.seed}; skid of ${data.skid} instructions where there is one`]], width),
    `${strong('samplers')}\n${renderSamplers(data, width)}`,
    ...MEASURES.flatMap((measure) => [
      `${strong(`shares of ${MEASURE_TEXT[measure]}: error by number of samples`)}\n${renderCurves(data, measure, width)}`,
      `${strong(`largest by ${MEASURE_TEXT[measure]}, percent`)}\n${renderTypes(data, measure, width)}`,
    ]),
  ];
  const note = `worst: the largest difference among the ${MOST_FINDINGS} types of the largest exact shares, in points. distance: half the sum of all differences, in points. lost: of those ${MOST_FINDINGS}, how many are not among the ${MOST_FINDINGS} largest of the samples. Further rows of a sampler are of every n-th of its samples: n times the period.`;
  return `${parts.join('\n\n')}\n${faint(wrap(note, width - 2).map((line) => `  ${line}`).join('\n'))}\n`;
}

function renderSamplers({ samplers, skid }: Resampling, width: number): string {
  return renderTable(
    [{ heading: 'sampler', align: 'left' }, { heading: 'draws', align: 'left' }, right('of'), right('period'), right('samples')],
    samplers.map(({ sampler, loadsOnly, byLatency, skids, events, period, samples }) => [
      sampler, `${loadsOnly ? 'loads' : 'accesses'}, ${byLatency ? 'by their latency' : 'alike'}${skids ? `, ${formatCount(skid)} instructions late` : ''}`,
      `${formatCount(Math.round(events))} ${byLatency ? 'cycles' : loadsOnly ? 'loads' : 'accesses'}`, formatPeriod(period), formatCount(samples),
    ]),
    width,
  );
}

function renderCurves({ samplers }: Resampling, measure: Measure, width: number): string {
  return renderTable(
    [{ heading: 'sampler', align: 'left' }, right('period'), right('samples'), right('worst'), { heading: 'of', align: 'left', shortest: 12, expendable: 2 }, right('distance', 1), right('lost'), { heading: 'which', align: 'left', shortest: 12, expendable: 3 }],
    samplers.flatMap(({ sampler, curve }) => curve.filter(({ oneIn }) => Number.isInteger(Math.log10(oneIn))).map(({ oneIn, period, measures }) => [oneIn === 1 ? sampler : oneIn === TEN_TIMES ? '  ten times' : '', formatPeriod(period), ...accuracy(measures[measure])])),
    width,
  );
}

const accuracy = ({ samples, worstPoints, worstType, distancePoints, lost }: Accuracy): string[] => [formatCount(samples), points(worstPoints), worstType ?? '', points(distancePoints), formatCount(lost.length), lost.join(', ')];

function renderTypes({ rows, samplers }: Resampling, measure: Measure, width: number): string {
  return renderTable(
    [{ heading: 'type', align: 'left', shortest: 16 }, right('exact'), ...samplers.map(({ sampler }) => right(sampler))],
    rows.filter((row) => row.measure === measure).map(({ type, exactPercent, sampledPercent }) => [type, exactPercent.toFixed(2), ...samplers.map(({ sampler }) => sampledPercent[sampler].toFixed(2))]),
    width,
  );
}

const formatPeriod = (period: number): string => (period < 100 && !Number.isInteger(period) ? period.toFixed(1) : formatCount(Math.round(period)));

const points = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
