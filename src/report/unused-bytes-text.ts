// Stage: views -> text. Bytes that were fetched for nothing: types, under each its fields that waste most.

import type { UnusedBytes } from '../views/unused-bytes.js';
import { formatCount, formatShare } from './format-number.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const FIELDS_PER_TYPE = 6;

const columns: readonly TextColumn[] = [
  { heading: 'type and field', brief: 'type', align: 'left', shortest: 20 },
  { heading: 'unused bytes', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 1 },
  { heading: 'of fetched', align: 'right' },
  { heading: 'fetched bytes', align: 'right', expendable: 2 },
];

export function unusedBytesSection(view: UnusedBytes, top: number, width: number): TextSection {
  const types = view.rows.filter((row) => row.field === null);
  const { unusedBytes: unusedOfAll, fetchedBytes: fetchedOfAll } = view.sums;
  const cells = (name: string, unused: number, fetched: number): string[] => [
    name,
    formatCount(unused),
    formatShare(unused, unusedOfAll),
    formatShare(unused, fetched),
    formatCount(fetched),
  ];
  const rows = types.slice(0, top).flatMap((type) => {
    const fields = view.rows.filter((row) => row.type === type.type && row.field !== null);
    const wasting = fields.filter((row) => row.unusedBytes > 0).slice(0, FIELDS_PER_TYPE);
    const left = fields.length - wasting.length;
    const lines = [
      cells(type.type, type.unusedBytes, type.fetchedBytes),
      ...wasting.map((row) => cells(`  ${row.field}`, row.unusedBytes, row.fetchedBytes)),
    ];
    return left === 0 || wasting.length === 0 ? lines : [...lines, [`  … ${formatCount(left)} more`]];
  });
  rows.push(cells('all types', unusedOfAll, fetchedOfAll));
  return {
    title: 'unused bytes: fetched into an L1, and left without any reference to them',
    body: types.length === 0 ? 'no line was fetched' : renderTable(columns, rows, width),
    notes: [
      [
        '',
        `${Math.min(top, types.length)} of ${formatCount(types.length)} types; a byte belongs to what lay there when its line left.`,
      ],
      ['of all', `of ${formatCount(unusedOfAll)} unused bytes.`],
      ['of fetched', "of the row's fetched bytes."],
    ],
  };
}
