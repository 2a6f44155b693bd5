// Stage: views -> text. Source files with misses by class beside each line.

import { CLASSES, type LevelName } from '../contract/machine.js';
import type { AnnotatedFile, AnnotatedLine, AnnotatedSource } from '../views/annotated-source.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import type { ComputeAndWait } from '../views/line-cycles.js';
import { runLines } from './run-lines.js';
import { cut, renderLabelled, wrap } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { spellVisibly } from './visible-text.js';

/** Lines that cost at least this part of all are emphasised. */
const HOT = 0.1;
const TAB = 8;
const SHORTEST_TEXT = 24;
const MOST_TRIED = 3;

interface Gutter {
  readonly heading: string;
  /** In a window too narrow for all, the lowest goes first, with all of the same rank. */
  readonly rank: number;
  readonly cell: (row: AnnotatedLine) => string;
}

export function renderAnnotatedSource(view: AnnotatedSource, style: TextStyle): string {
  const { width } = style;
  const shown = view.files.filter(({ file }) => view.rows.some((row) => row.file === file));
  const left = view.files.length - shown.length;
  const sections = shown.map((file) => renderFile(file, view, style));
  const notes = [
    ...timeNotes(view),
    `of all: of ${plural(view.totals.missLatencyCycles, 'estimated cycle')} of the run: latency of the accesses that ` +
      'missed the L1.',
    `Classes: of ${LEVEL_NAMES[view.level]} misses.`,
    left > 0
      ? `${shown.length} of ${view.files.length} files that were referenced in: --top ${view.files.length} for all.`
      : '',
    view.nowhere.references > 0
      ? `On no line that the debug information knows: references ${formatCount(view.nowhere.references)}, L1 ` +
        `misses ${formatCount(view.nowhere.misses)}.`
      : '',
  ].filter(Boolean);
  return (
    [
      renderLabelled(runLines(view, width), width),
      ...sections,
      style.faint(
        wrap(notes.join(' '), width - 2)
          .map((line) => `  ${line}`)
          .join('\n'),
      ),
    ].join('\n\n') + '\n'
  );
}

function timeNotes({ runTime, nowhere }: AnnotatedSource): string[] {
  if (runTime === undefined) return [];
  const whole = sumOf(runTime);
  return [
    `of time: of about ${plural(whole, 'cycle')} of the run. compute: cycles of a line's instructions, their data in ` +
      'the L1. wait: for its misses, less what other instructions hide.',
    sumOf(nowhere) > 0 ? `${formatShare(sumOf(nowhere), whole)} of the time is on no line.` : '',
  ];
}

function renderFile(file: AnnotatedFile, view: AnnotatedSource, style: TextStyle): string {
  const { level } = view;
  const cyclesOfAll = view.totals.missLatencyCycles;
  const rows = view.rows.filter((row) => row.file === file.file);
  const counted = rows.filter(isCounted);
  const misses = (one: LevelName, rank: number): Gutter => ({
    heading: `${LEVEL_NAMES[one]} misses`,
    rank,
    cell: ({ levels }) => countOf(levels?.[one].misses),
  });
  const all: readonly Gutter[] = [
    ...timeGutters(view),
    { heading: 'est. cycles', rank: 1, cell: ({ missLatencyCycles }) => countOf(missLatencyCycles) },
    {
      heading: 'of all',
      rank: 2,
      cell: ({ missLatencyCycles: own }) => (own === undefined ? '' : formatShare(own, cyclesOfAll)),
    },
    misses('l1', 5),
    ...(level === 'l1' ? [] : [misses(level, 4)]),
    ...CLASSES.filter((name) => counted.some(({ levels }) => (levels?.[level].classes[name] ?? 0) > 0)).map((name) => ({
      heading: name.replace('-', ' '),
      rank: 3,
      cell: ({ levels }: AnnotatedLine) => countOf(levels?.[level].classes[name]),
    })),
    { heading: 'references', rank: 0, cell: ({ references: own }) => countOf(own && own.loads + own.stores) },
  ];
  // The source is what one reads.
  let gutters = all;
  let widths: number[] = [];
  const lineWidth = Math.max(4, String(rows.at(-1)?.line ?? 0).length);
  const gutterWidth = (): number => widths.reduce((sum, own) => sum + own + 2, 0) + lineWidth + 3;
  for (;;) {
    widths = gutters.map(({ heading, cell }) => Math.max(heading.length, ...counted.map((row) => cell(row).length)));
    if (gutters.length === 1 || gutterWidth() + SHORTEST_TEXT <= style.width) break;
    const least = Math.min(...gutters.map(({ rank }) => rank));
    gutters = gutters.filter(({ rank }) => rank !== least);
  }
  const room = Math.max(8, style.width - gutterWidth());
  const heading = gutters.map((gutter, at) => gutter.heading.padStart(widths[at])).join('  ');
  const lines = [
    `${heading}  ${'line'.padStart(lineWidth)} │ ${rows.some(({ text }) => text !== null) ? 'source' : 'function'}`,
  ];
  rows.forEach((row, index) => {
    if (index > 0 && row.line > rows[index - 1].line + 1)
      lines.push(`${' '.repeat(gutterWidth() - 2 - lineWidth)}${'⋮'.padStart(lineWidth)}`);
    const counts = gutters.map(({ cell }, at) => (isCounted(row) ? cell(row) : '').padStart(widths[at])).join('  ');
    const text = cut(row.text === null ? spellVisibly(row.functions.join(', ')) : expandTabs(row.text), room);
    const line = `${counts}  ${String(row.line).padStart(lineWidth)} │ ${text}`.trimEnd();
    lines.push(isHot(row, view) ? style.hot(line) : isCounted(row) ? line : style.faint(line));
  });
  return [...titleOf(file, view, style), ...lines].join('\n');
}

/** Where blocks are priced: what the line takes of the run's time, first of all. */
function timeGutters({ runTime }: AnnotatedSource): Gutter[] {
  if (runTime === undefined) return [];
  const whole = sumOf(runTime);
  return [
    { heading: 'of time', rank: 7, cell: (row) => formatShare(sumOf(row), whole) },
    { heading: 'compute', rank: 6, cell: ({ computeCycles }) => countOf(computeCycles) },
    { heading: 'wait', rank: 6, cell: ({ waitCycles }) => countOf(waitCycles) },
  ];
}

function sumOf({ computeCycles = 0, waitCycles = 0 }: Partial<ComputeAndWait>): number {
  return computeCycles + waitCycles;
}

function isCounted({ levels, computeCycles }: AnnotatedLine): boolean {
  return levels !== undefined || computeCycles !== undefined;
}

function isHot(row: AnnotatedLine, { runTime, totals }: AnnotatedSource): boolean {
  const own = runTime === undefined ? (row.missLatencyCycles ?? 0) : sumOf(row);
  return own > 0 && own >= HOT * (runTime === undefined ? totals.missLatencyCycles : sumOf(runTime));
}

function countOf(count: number | undefined): string {
  return count === undefined ? '' : formatCount(count);
}

function titleOf(of: AnnotatedFile, { totals, runTime }: AnnotatedSource, style: TextStyle): string[] {
  const { file, source, path, tried = [], misses, missLatencyCycles } = of;
  const time = runTime === undefined ? '' : `${formatShare(sumOf(of), sumOf(runTime))} of the time; `;
  const title =
    `${spellVisibly(file)}: ${time}${plural(missLatencyCycles, 'estimated cycle')}, ` +
    `${formatShare(missLatencyCycles, totals.missLatencyCycles)} of all; ${plural(misses, 'L1 miss')}, ` +
    `${formatShare(misses, totals.levels.l1.misses)} of all`;
  const remark = {
    read: [],
    newer: [`${spellVisibly(path ?? file)} was changed after the program ran: lines may have moved`],
    private: [
      'the source is not shown, as not everybody may read it: functions instead; --source-path FOLDER says ' +
        'that it may be shown',
    ],
    missing: [
      `the source is not there: functions instead; tried ${spellTried(tried)}; --source-dir FOLDER or ` +
        '--substitute-path FROM=TO says where to look',
    ],
  }[source];
  return [...wrap(title, style.width).map(style.strong), ...remark.flatMap((text) => wrap(text, style.width))];
}

/** The first few, and how many more. */
function spellTried(tried: readonly string[]): string {
  const shown = tried.slice(0, MOST_TRIED).map(spellVisibly).join(', ');
  return tried.length > MOST_TRIED ? `${shown} and ${tried.length - MOST_TRIED} more` : shown || 'nothing';
}

function expandTabs(text: string): string {
  let wide = '';
  for (const character of text.replace(/\r$/, ''))
    wide += character === '\t' ? ' '.repeat(TAB - (wide.length % TAB)) : spellVisibly(character);
  return wide;
}
