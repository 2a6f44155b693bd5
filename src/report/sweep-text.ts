// Stage: views -> text. A sweep as a table: rows by type, a column for each size, and the whole curve in a few
// characters.

import type { LEVELS } from '../contract/machine.js';
import type { SweepRow, SweepView, SweptBy } from '../views/sweep.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { describeMachine } from './machine-line.js';
import { describeCpus, describeDamage, describeLeftOut } from './run-lines.js';
import { briefSite } from '../views/sites.js';
import { renderLabelled, shorten, wrap } from './text-lines.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextOptions } from './text-report.js';

const many: Record<SweptBy, string> = {
  type: 'types',
  field: 'fields',
  function: 'functions',
  line: 'lines',
  core: 'cores',
};

export function renderSweep(view: SweepView, { top, style }: TextOptions): string {
  const { width } = style;
  const { points, rows, level, by } = view;
  const name = levelName(level);
  const shown = rows.filter((row) => row.misses.some((count) => count > 0));
  const cut = shown.slice(0, top);
  const columns = [
    { heading: by, align: 'left', shortest: 16 } as const,
    ...points.map(({ label }, index) => pointColumn(label, index, points.length)),
    { heading: 'curve', align: 'left' } as const,
  ];
  const totals = points.map(({ totals: { levels } }) => levels[level].misses);
  const body = renderTable(
    columns,
    [
      ...cut.map((row) => [spellRow(row), ...row.misses.map(formatCount), drawCurve(row.misses)]),
      [`all ${many[by]}`, ...totals.map(formatCount), drawCurve(totals)],
      [
        'of references',
        ...points.map(({ totals: { levels, references } }) => formatShare(levels[level].misses, references)),
        '',
      ],
    ],
    width,
  );
  const headings = body.slice(0, body.indexOf('\n')).split(/ {2,}/);
  const columnsShown = points.filter(({ label }) => headings.includes(label)).length;
  const notes = [
    `${cut.length} of ${shown.length} ${many[by]} with ${name} misses at any size, by their sum over all sizes.`,
    ...(columnsShown < points.length
      ? [`${columnsShown} of ${points.length} sizes have room for a column; --format json and csv have all.`]
      : []),
    `curve: one character for each size, from the smallest; ▁ to █ in eighths of the row's most, · is no miss.`,
  ];
  const title = `sweep: ${name} misses by ${by}, ${name} from ${points[0].label} to ${points[points.length - 1].label}`;
  return `${renderLabelled(headLines(view, width), width)}\n\n${style.strong(title)}\n${body}\n${style.faint(
    wrap(notes.join(' '), width - 2)
      .map((line) => `  ${line}`)
      .join('\n'),
  )}\n`;
}

function headLines(view: SweepView, width: number): [string, string][] {
  const { points, command, ended, truncated, damaged, leftOut, threads, schedule, cpus } = view;
  const [{ machine, totals }] = points;
  return [
    ['program', `${shorten(command.join(' '), Math.max(40, width - 40))} (${ended}${truncated ? '; TRUNCATED' : ''})`],
    ...(damaged === undefined ? [] : [['DAMAGED', describeDamage(damaged)] as [string, string]]),
    ...(leftOut === undefined ? [] : [['LEFT OUT', describeLeftOut(leftOut)] as [string, string]]),
    ['machines', `${points.length}, the first: ${describeMachine(machine)}`],
    [
      'references',
      `${formatCount(totals.references)} (${plural(totals.loads, 'load')}, ${plural(totals.stores, 'store')}) ` +
        `by ${plural(threads, 'thread')}, schedule ${schedule}` +
        `${cpus === undefined ? '' : `, ${describeCpus(cpus)}`}`,
    ],
  ];
}

function levelName(level: (typeof LEVELS)[number]): string {
  return level.toUpperCase();
}

/** If there is no room for all points, both ends stay longest, then the middle, then the quarters. */
function pointColumn(label: string, index: number, count: number): TextColumn {
  const isEnd = index === 0 || index === count - 1;
  const evenness = isEnd ? 0 : 32 - Math.clz32(index & -index);
  return { heading: label, align: 'right', ...(isEnd ? {} : { expendable: 10 - evenness }) };
}

const BARS = '▁▂▃▄▅▆▇█';

export function drawCurve(counts: readonly number[]): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? '·' : BARS[Math.ceil((count * BARS.length) / most) - 1])).join('');
}

function spellRow(row: SweepRow): string {
  if (row.core !== undefined) return `core ${row.core}`;
  if (row.line !== undefined)
    return `${briefSite(row.line as string | null) ?? '(unknown)'}${row.function ? ` in ${row.function}` : ''}`;
  if (row.type !== undefined) return row.field ? `${row.type}.${row.field}` : String(row.type);
  return String(row.function ?? '(unknown)');
}
