// Stage: views -> text. Struct layouts, a line for each type; dprof annotate --type prints one type's members.

import type { StructLayout } from '../views/struct-layout.js';
import { formatCount, formatShare } from './format-number.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const columns: readonly TextColumn[] = [
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'bytes', align: 'right' },
  { heading: 'lines', align: 'right' },
  { heading: 'members', align: 'right', expendable: 4 },
  { heading: 'holes', align: 'right', expendable: 1 },
  { heading: 'padding', align: 'right', expendable: 2 },
  { heading: 'fetched bytes', align: 'right', expendable: 3 },
  { heading: 'unused', align: 'right' },
];

export function structLayoutSection({ rows }: StructLayout, top: number, width: number): TextSection {
  const shown = rows.slice(0, top);
  const cells = shown.map((row) => [
    row.layouts === 1 ? row.type : `${row.type} (${row.layout + 1} of ${row.layouts})`,
    formatCount(row.levels.l1.misses),
    formatCount(row.sizeBytes),
    formatCount(row.cacheLines),
    formatCount(row.members),
    formatCount(row.sumHoles),
    formatCount(row.padding),
    formatCount(row.fetchedBytes),
    formatShare(row.unusedBytes, row.fetchedBytes),
  ]);
  return {
    title: 'struct layout: types whose members are known, by L1 misses',
    body: rows.length === 0 ? 'no type whose members are known was referenced' : renderTable(columns, cells, width),
    notes: [
      [
        '',
        `${shown.length} of ${formatCount(rows.length)} types; dprof annotate --type shows one of them, member by member.`,
      ],
      ['lines', 'cache lines, of an object that begins with one.'],
      ['holes', 'bytes between members.'],
      ['padding', 'bytes behind the last one.'],
      ['unused', 'of the bytes fetched into an L1, those that nothing referenced before their line left.'],
    ],
  };
}
