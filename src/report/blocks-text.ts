// Stage: views -> text. Machine blocks as a table: where the time of the program's own code goes.

import type { Blocks } from '../views/blocks.js';
import type { Column } from '../views/columns.js';
import { blockColumns, BOUNDS, describeCoverage, describeTime } from './block-words.js';
import { runLines } from './run-lines.js';
import { renderLabelled, wrap } from './text-lines.js';
import type { TextOptions } from './text-report.js';
import { renderSection } from './view-text.js';

export function renderBlocks(view: Blocks, { top, style }: TextOptions): string {
  const { width } = style;
  const { rows } = view;
  const shown = rows.slice(0, top);
  const { title, body, notes } = renderSection(
    {
      title: 'blocks and innermost loops of machine code by estimated cycles',
      columns: blockColumns(view) as Column<unknown>[],
      lines: shown,
      empty: 'no block of the program ran',
      notes: [`${describeShown(shown.length, rows.length)} a thousandth of the instructions or of the cycles.`],
      remarks: Object.entries(BOUNDS)
        .filter(([bound]) => shown.some((row) => row.bound === bound))
        .map(([bound, meaning]) => `${bound}: ${meaning}.`),
    },
    width,
  );
  const lines: [string, string][] = [
    ...runLines(view, width).map(([label, text]): [string, string] => [label, text]),
    ['time', describeTime(view)],
    ['counted', describeCoverage(view)],
  ];
  const faint = wrap(notes.join(' '), width - 2).map((line) => `  ${line}`);
  return `${renderLabelled(lines, width)}\n\n${style.strong(title)}\n${body}\n${style.faint(faint.join('\n'))}\n`;
}

function describeShown(shown: number, all: number): string {
  return all === 1 ? 'the one block or loop with' : `${shown} of ${all} blocks and loops with`;
}
