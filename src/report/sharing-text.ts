// Stage: views -> text. Sharing pairs, two lines each: the access that missed, and under it the store by another core
// that made it miss.

import type { Sharing, SharingSide } from '../views/sharing.js';
import { formatCount, formatShare, plural } from './format-number.js';
import { briefSite } from './text-lines.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const columns: readonly TextColumn[] = [
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 2 },
  { heading: 'class', align: 'left' },
  { heading: 'relation', align: 'left', expendable: 1 },
  { heading: '', align: 'left' },
  { heading: 'type and field', align: 'left', shortest: 16 },
  { heading: 'in', align: 'left', shortest: 12 },
  { heading: 'at', align: 'left', shortest: 16 },
  { heading: 'object', align: 'left', shortest: 20, expendable: 3 },
];

export function sharingSection(view: Sharing, top: number, width: number): TextSection {
  const { classes } = view.totals.levels.l1;
  const sharingMisses = classes['true-sharing'] + classes['false-sharing'];
  const shown = view.rows.slice(0, top);
  const rows = shown.flatMap((row) => [
    [
      formatCount(row.misses),
      formatShare(row.misses, sharingMisses),
      row.class,
      row.relation,
      'missed',
      ...sideCells(row.missed),
    ],
    ['', '', '', '', 'stored', ...sideCells(row.writer)],
  ]);
  return {
    title: 'sharing: accesses that miss because another core stored',
    body:
      shown.length === 0 ? 'no access missed because of a store by another core' : renderTable(columns, rows, width),
    notes: [
      ['', `${shown.length} of ${formatCount(view.rows.length)} pairs.`],
      ['of all', `of ${plural(sharingMisses, 'L1 miss')} by true or false sharing.`],
    ],
  };
}

function sideCells(side: SharingSide): string[] {
  const field = side.field === null ? '' : side.field === side.variable ? ` ${side.field}` : `.${side.field}`;
  return [side.type + field, side.function ?? '-', briefSite(side.site) ?? '-', describeObject(side)];
}

function describeObject({ variable, allocatedAt, allocatedBy }: SharingSide): string {
  const place = briefSite(allocatedAt) ?? 'unknown place';
  const thread = allocatedBy === null ? '' : `, thread ${allocatedBy}`;
  if (variable !== null) return `${variable} (${place}${thread})`;
  return allocatedAt === null && allocatedBy === null ? '-' : `heap (${place}${thread})`;
}
