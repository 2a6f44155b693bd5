// Stage: samples -> text. The summary that `dprof sample` prints after a run.

import type { SampleSummary, TypeShare } from '../samples/sample-summary.js';
import { formatCount, formatShare, plural } from '../../base/format-number.js';
import { renderLabelled, shorten, wrap, type Labelled } from '../../report/text-lines.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable, type TextColumn } from '../../report/text-table.js';

export function renderSampleSummary(
  summary: SampleSummary,
  { top, style }: { readonly top: number; readonly style: TextStyle },
): string {
  const { width, strong, faint } = style;
  const { samples, types, eventsSampled } = summary;
  // One in one is no draw.
  const isDrawn = summary.events.some(({ period }) => period > 1);
  const parts = [renderLabelled(headLines(summary, width), width)];
  if (samples > 0) {
    const columns: TextColumn[] = [
      { heading: 'type', align: 'left', shortest: 16 },
      { heading: 'samples', align: 'right' },
      { heading: 'share', align: 'right' },
      { heading: '95 % interval', align: 'right' },
    ];
    const shown = isDrawn ? columns.length : columns.length - 1;
    parts.push(
      `${strong('samples by type')}\n${renderTable(
        columns.slice(0, shown),
        types.slice(0, top).map((type) => typeRow(type).slice(0, shown)),
        width,
      )}`,
    );
  }
  const left = types.length > top ? ` ${formatCount(types.length - top)} more types are in the file.` : '';
  const note = isDrawn
    ? `Sampled: shares are of ${formatCount(eventsSampled)} events, which ${formatCount(samples)} samples stand ` +
      'for by their periods; the true share is in the interval for 95 of 100 such runs, if samples are drawn ' +
      `fairly.${left}`
    : `Every one of these events was to be a sample: shares are of the ${plural(samples, 'sample')}.${left}`;
  return `${parts.join('\n\n')}\n${faint(
    wrap(note, width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function headLines(
  { command, ended, seconds, threads, events, lost, untyped }: SampleSummary,
  width: number,
): Labelled[] {
  const losses: [number, string][] = [
    [lost.records, 'samples found no room'],
    [lost.samples, 'dropped by processor or kernel'],
    [lost.throttles, 'times throttled'],
    [lost.truncatedAux, 'buffers cut short'],
    [lost.outOfOrder, 'out of order'],
    ...Object.entries(lost.skipped).map(([what, count]): [number, string] => [count, `${what}, passed over`]),
  ];
  const said = losses.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  const reasons = Object.entries(untyped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${formatCount(count)} ${reason}`);
  return [
    [
      'program',
      `${shorten(command.join(' '), Math.max(40, width - 60))} (${ended}; ${seconds.toFixed(3)} s, ` +
        `${plural(threads, 'thread')})`,
    ],
    ...events.map(
      ({ name, samples, period }): Labelled => [
        'samples',
        `${formatCount(samples)} of ${name}, one in ${formatCount(period)}`,
      ],
    ),
    ['lost', said.length === 0 ? 'nothing' : said.join(', ')],
    ...(reasons.length === 0 ? [] : [['untyped', reasons.join(', ')] as const]),
  ];
}

function typeRow({ type, samples, share, low, high }: TypeShare): string[] {
  const percent = (value: number | null): string => (value === null ? '-' : `${(100 * value).toFixed(1)}`);
  return [
    type === '' ? '(no type)' : type,
    formatCount(samples),
    share === null ? '-' : formatShare(share, 1),
    `${percent(low)} to ${percent(high)}%`,
  ];
}
