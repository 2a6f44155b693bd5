// Stage: views -> text. The code profile as a table: functions by L1 misses, or by estimated cycles.

import { CLASSES, type MissClass } from '../replay/machine.js';
import type { FunctionRow, Functions } from '../views/functions.js';
import { formatCount, formatCycles, formatShare, plural } from './format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

/** All five or none: one class alone says little. */
const ROOMY = 160;

const columnsFor = (classes: readonly MissClass[]): readonly TextColumn[] => [
  { heading: 'function', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right' },
  { heading: 'est. cycles', align: 'right' },
  { heading: 'references', align: 'right', expendable: 1 },
  { heading: 'miss rate', align: 'right', expendable: 2 },
  { heading: 'cycles', align: 'right', expendable: 4 },
  ...classes.map((name): TextColumn => ({ heading: name.replace('-', ' '), align: 'right' })),
  { heading: 'L2 misses', align: 'right', expendable: 3 },
  { heading: 'LLC misses', align: 'right', expendable: 5 },
  { heading: 'types', align: 'right', expendable: 6 },
];

export function functionsSection(view: Functions, top: number, width: number): TextSection {
  const { totals, rows: all } = view;
  const shown = all.slice(0, top);
  const classes = width >= ROOMY ? CLASSES : [];
  const missesOfAll = totals.levels.l1.misses;
  const whole = [
    'all functions',
    formatCount(missesOfAll),
    formatShare(missesOfAll, missesOfAll),
    formatCount(totals.missLatencyCycles),
    formatCount(totals.references),
    formatShare(missesOfAll, totals.references),
    formatCycles(totals.references === 0 ? null : totals.latencyCycles / totals.references),
    ...classes.map((name) => formatCount(totals.levels.l1.classes[name])),
    formatCount(totals.levels.l2.misses),
    formatCount(totals.levels.llc.misses),
    '',
  ];
  return {
    title: `functions: the code profile, by ${view.sort === 'cycles' ? 'estimated cycles' : 'L1 misses'}`,
    body: renderTable(columnsFor(classes), [...shown.map((row) => cells(row, missesOfAll, classes)), whole], width),
    notes: [
      ['', `${shown.length} of ${formatCount(all.length)} functions; one that is inlined counts as itself.`],
      ['of all', `of ${plural(missesOfAll, 'L1 miss')}.`],
      ['est. cycles', 'latency of the accesses that missed the L1.'],
      ['cycles', 'average latency of a reference.'],
      ['miss rate', 'L1 misses per reference of the function.'],
      ['types', 'that it missed on, of those it referenced.'],
    ],
  };
}

function cells(row: FunctionRow, missesOfAll: number, classes: readonly MissClass[]): string[] {
  const references = row.references.loads + row.references.stores;
  const { l1, l2, llc } = row.levels;
  return [
    row.function ?? '(unknown)',
    formatCount(l1.misses),
    formatShare(l1.misses, missesOfAll),
    formatCount(row.missLatencyCycles),
    formatCount(references),
    formatShare(l1.misses, references),
    formatCycles(references === 0 ? null : row.latencyCycles / references),
    ...classes.map((name) => formatCount(l1.classes[name])),
    formatCount(l2.misses),
    formatCount(llc.misses),
    `${row.typesMissed} of ${row.types}`,
  ];
}
