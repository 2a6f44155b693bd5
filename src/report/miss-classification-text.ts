// Stage: views -> text. Miss classification as a table: types, under each its fields that miss most.

import { CLASSES, type LevelName } from '../replay/machine.js';
import type { MissClassification, MissClassificationRow } from '../views/miss-classification.js';
import { formatCount, formatShare } from './format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const FIELDS_PER_TYPE = 6;

const columns: readonly TextColumn[] = [
  { heading: 'type and field', brief: 'type', align: 'left', shortest: 20 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 2 },
  ...CLASSES.map((name): TextColumn => ({ heading: name.replace('-', ' '), brief: name.replace('-sharing', ' sh.'), align: 'right' })),
  { heading: 'L2 misses', align: 'right', expendable: 4 },
  { heading: 'LLC misses', align: 'right', expendable: 5 },
  { heading: 'references', align: 'right', expendable: 3 },
];

export function missClassificationSection(view: MissClassification, top: number, width: number): TextSection {
  const { l1 } = view.totals.levels;
  const types = view.rows.filter((row) => row.field === null);
  const shown = types.slice(0, top);
  const fields = groupFields(view.rows);
  const rows = shown.flatMap((type) => {
    const own = fields.get(type.type) ?? [];
    const missing = own.filter((row) => row.levels.l1.misses > 0).slice(0, FIELDS_PER_TYPE);
    const left = own.length - missing.length;
    const lines = [cells(type, type.type, l1.misses), ...missing.map((row) => cells(row, `  ${row.field}`, l1.misses))];
    return left === 0 || missing.length === 0 ? lines : [...lines, [`  … ${formatCount(left)} more`]];
  });
  rows.push(['all types', formatCount(l1.misses), formatShare(l1.misses, l1.misses), ...CLASSES.map((name) => formatCount(l1.classes[name])), ...totalCells(view)]);
  return {
    title: 'miss classification: why each L1 miss happened',
    body: renderTable(columns, rows, width),
    notes: [
      ['', `${shown.length} of ${types.length} types that were referenced; the five classes of a row sum up to its L1 misses.`],
      ['of all', `of ${formatCount(l1.misses)} L1 misses.`],
      ['compulsory', "this core's first reference to the line."],
      ['true sharing', 'another core stored to these bytes since.'],
      ['true sh.', 'true sharing, another core stored to these bytes since.'],
      ['false sharing', 'another core stored to other bytes of the line since.'],
      ['false sh.', 'false sharing, another core stored to other bytes of the line since.'],
      ['conflict', 'a fully associative L1 would have hit.'],
    ],
  };
}

function groupFields(rows: readonly MissClassificationRow[]): Map<string, MissClassificationRow[]> {
  const groups = new Map<string, MissClassificationRow[]>();
  for (const row of rows) {
    if (row.field === null) groups.set(row.type, []);
    else groups.get(row.type)?.push(row);
  }
  return groups;
}

function cells(row: MissClassificationRow, name: string, missesOfAll: number): string[] {
  const misses = (level: LevelName): string => formatCount(row.levels[level].misses);
  const { l1 } = row.levels;
  return [
    name,
    misses('l1'),
    formatShare(l1.misses, missesOfAll),
    ...CLASSES.map((name) => formatCount(l1.classes[name])),
    misses('l2'),
    misses('llc'),
    formatCount(row.references.loads + row.references.stores),
  ];
}

function totalCells({ totals }: MissClassification): string[] {
  return [formatCount(totals.levels.l2.misses), formatCount(totals.levels.llc.misses), formatCount(totals.references)];
}
