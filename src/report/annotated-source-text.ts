// Stage: views -> text. Source files with misses by class beside each line.

import { CLASSES } from '../contract/machine.js';
import type { AnnotatedFile, AnnotatedLine, AnnotatedSource } from '../views/annotated-source.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { runLines } from './run-lines.js';
import { cut, renderLabelled, wrap } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { spellVisibly } from './visible-text.js';

/** Lines that missed at least this part of all are emphasised. */
const HOT = 0.1;
const TAB = 8;
const SHORTEST_TEXT = 24;
const MOST_TRIED = 3;

interface Gutter {
  readonly heading: string;
  /** L1 misses that it tells of; in a window too narrow for all the one that tells least goes first. */
  readonly weight: number;
  readonly cell: (row: AnnotatedLine) => string;
}

export function renderAnnotatedSource(view: AnnotatedSource, style: TextStyle): string {
  const { width } = style;
  const shown = view.files.filter(({ file }) => view.rows.some((row) => row.file === file));
  const left = view.files.length - shown.length;
  const misses = view.totals.levels.l1.misses;
  const sections = shown.map((file) => renderFile(file, view, style));
  const notes = [
    `of all: of ${plural(misses, 'L1 miss')} of the run.`,
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

function renderFile(file: AnnotatedFile, view: AnnotatedSource, style: TextStyle): string {
  const missesOfAll = view.totals.levels.l1.misses;
  const { misses } = file;
  const rows = view.rows.filter((row) => row.file === file.file);
  const counted = rows.filter(({ levels }) => levels !== undefined);
  const all: readonly Gutter[] = [
    { heading: 'L1 misses', weight: Infinity, cell: ({ levels }) => formatCount(levels!.l1.misses) },
    { heading: 'of all', weight: misses + 1, cell: ({ levels }) => formatShare(levels!.l1.misses, missesOfAll) },
    ...(view.sort === 'cycles'
      ? [
          {
            heading: 'est. cycles',
            weight: misses + 2,
            cell: ({ missLatencyCycles }: AnnotatedLine) => formatCount(missLatencyCycles!),
          },
        ]
      : []),
    ...CLASSES.filter((name) => counted.some(({ levels }) => levels!.l1.classes[name] > 0)).map((name) => ({
      heading: name.replace('-', ' '),
      weight: counted.reduce((sum, { levels }) => sum + levels!.l1.classes[name], 0),
      cell: ({ levels }: AnnotatedLine) => formatCount(levels!.l1.classes[name]),
    })),
    { heading: 'references', weight: 0, cell: ({ references }) => formatCount(references!.loads + references!.stores) },
  ];
  // The source is what one reads.
  let gutters = all;
  let widths: number[] = [];
  const lineWidth = Math.max(4, String(rows.at(-1)?.line ?? 0).length);
  const gutterWidth = (): number => widths.reduce((sum, own) => sum + own + 2, 0) + lineWidth + 3;
  for (;;) {
    widths = gutters.map(({ heading, cell }) => Math.max(heading.length, ...counted.map((row) => cell(row).length)));
    if (gutters.length === 1 || gutterWidth() + SHORTEST_TEXT <= style.width) break;
    const least = gutters.reduce((one, other) => (other.weight <= one.weight ? other : one));
    gutters = gutters.filter((gutter) => gutter !== least);
  }
  const room = Math.max(8, style.width - gutterWidth());
  const heading = gutters.map((gutter, at) => gutter.heading.padStart(widths[at])).join('  ');
  const lines = [
    `${heading}  ${'line'.padStart(lineWidth)} │ ${rows.some(({ text }) => text !== null) ? 'source' : 'function'}`,
  ];
  rows.forEach((row, index) => {
    if (index > 0 && row.line > rows[index - 1].line + 1)
      lines.push(`${' '.repeat(gutterWidth() - 2 - lineWidth)}${'⋮'.padStart(lineWidth)}`);
    const isCounted = row.levels !== undefined;
    const counts = gutters.map(({ cell }, at) => (isCounted ? cell(row) : '').padStart(widths[at])).join('  ');
    const text = cut(row.text === null ? spellVisibly(row.functions.join(', ')) : expandTabs(row.text), room);
    const line = `${counts}  ${String(row.line).padStart(lineWidth)} │ ${text}`.trimEnd();
    const isHot = isCounted && row.levels.l1.misses > 0 && row.levels.l1.misses >= HOT * missesOfAll;
    lines.push(isHot ? style.hot(line) : isCounted ? line : style.faint(line));
  });
  return [...titleOf(file, view, style), ...lines].join('\n');
}

function titleOf(
  { file, source, path, tried = [], misses, missLatencyCycles }: AnnotatedFile,
  view: AnnotatedSource,
  style: TextStyle,
): string[] {
  const { totals } = view;
  const share =
    view.sort === 'cycles'
      ? `, ${formatShare(missLatencyCycles, totals.missLatencyCycles)} of the estimated cycles`
      : '';
  const title =
    `${spellVisibly(file)}: ${plural(misses, 'L1 miss')}, ${formatShare(misses, totals.levels.l1.misses)} of all` +
    `${share}`;
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
