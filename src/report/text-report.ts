// Stage: views -> text. One report: the run, then each view as a table with its notes, then the typing ledger and what
// the numbers cover.

import { tableOf, type AnyView, type ViewName } from '../views/views.js';
import { ledgerTable } from './ledger-text.js';
import { coverageLines, runLines } from './run-lines.js';
import { renderLabelled, wrap } from './text-lines.js';
import { sampledCoverageLines, sampledRunLines } from './sampled-lines.js';
import type { TextStyle } from './text-style.js';
import { renderSection } from './view-text.js';

export interface TextOptions {
  /** Rows per view (types, in miss classification; of each level, where lines leave). */
  readonly top: number;
  readonly style: TextStyle;
}

/** All views are of one profile. */
export function renderText(views: ReadonlyMap<ViewName, AnyView>, { top, style }: TextOptions): string {
  const [first] = views.values();
  const parts = [
    renderLabelled(
      first.sampled === undefined ? runLines(first, style.width) : sampledRunLines(first, style.width),
      style.width,
    ),
  ];
  for (const [name, view] of views) {
    const { title, body, notes } = renderSection(tableOf(name, view, top), style.width);
    parts.push(
      [
        ...wrap(title, style.width).map(style.strong),
        body,
        style.faint(
          wrap(notes.join(' '), style.width - 2)
            .map((line) => `  ${line}`)
            .join('\n'),
        ),
      ].join('\n'),
    );
  }
  parts.push(
    ledgerTable(first, style.width),
    renderLabelled(first.sampled === undefined ? coverageLines(first) : sampledCoverageLines(first), style.width),
  );
  return `${parts.join('\n\n')}\n`;
}
