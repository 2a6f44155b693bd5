// Stage: views -> text. The reports of several machines under each other, each under a heading of its own; before them
// what they amount to, side by side.

import type { AnyView, ViewName } from '../views/views.js';
import { formatCount, formatShare } from '../base/format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import { renderText, type TextOptions } from './text-report.js';

const columns: readonly TextColumn[] = [
  { heading: 'machine', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of references', brief: 'of refs', align: 'right' },
  { heading: 'L2 misses', align: 'right' },
  { heading: 'LLC misses', align: 'right' },
  { heading: 'invalidations', align: 'right', expendable: 2 },
  { heading: 'write-backs', align: 'right', expendable: 1 },
];

/** At least two, all with the same views. */
export function renderMachinesText(reports: readonly ReadonlyMap<ViewName, AnyView>[], options: TextOptions): string {
  const { style } = options;
  const firsts = reports.map(firstView);
  const summary = renderTable(columns, firsts.map(cells), style.width);
  const sections = reports.map((views, index) => {
    const heading = `══ machine ${index + 1} of ${reports.length}: ${firsts[index].machine.name} `;
    return `${style.strong(heading.padEnd(Math.min(style.width, 100), '═'))}\n\n${renderText(views, options)}`;
  });
  return `${style.strong(`${reports.length} machines, one trace`)}\n${summary}\n\n${sections.join('\n')}`;
}

function firstView(views: ReadonlyMap<ViewName, AnyView>): AnyView {
  const [first] = views.values();
  return first;
}

function cells({ machine, totals }: AnyView): string[] {
  const { l1, l2, llc } = totals.levels;
  const count = (value: number | null): string => (value === null ? '-' : formatCount(value));
  return [
    machine.name,
    count(l1.misses),
    l1.misses === null ? '-' : formatShare(l1.misses, totals.references),
    count(l2.misses),
    count(llc.misses),
    count(totals.invalidations),
    count(totals.writeBacks),
  ];
}
