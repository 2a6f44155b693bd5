// Stage: views -> text. The address set as a table: objects by references.

import type { AddressSet } from '../views/address-set.js';
import { formatCount } from './format-number.js';
import { briefSite } from './text-lines.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const columns: readonly TextColumn[] = [
  { heading: 'address', align: 'right' },
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'bytes', align: 'right' },
  { heading: 'references', align: 'right' },
  { heading: 'kind', align: 'left', expendable: 3 },
  { heading: 'allocated or declared', brief: 'declared', align: 'left', shortest: 12 },
  { heading: 'from', align: 'right', expendable: 4 },
  { heading: 'to', align: 'right', expendable: 5 },
  { heading: 'thread', align: 'right', expendable: 2 },
  { heading: 'cores', align: 'left', expendable: 1 },
];

export function addressSetSection(view: AddressSet, top: number, width: number): TextSection {
  const shown = view.rows.slice(0, top);
  const rows = shown.map((row) => [
    row.address,
    row.type,
    formatCount(row.bytes),
    formatCount(row.references),
    row.kind,
    [row.variable ?? row.function, briefSite(row.site)].filter((part) => part !== null).join(' '),
    formatCount(row.allocatedAt),
    row.freedAt === null ? 'end' : formatCount(row.freedAt),
    String(row.thread),
    [row.bounce && 'bounce', row.writeShared && 'write-shared', row.freedOnOtherCore && 'freed-elsewhere']
      .filter(Boolean)
      .join(' '),
  ]);
  return {
    title: `address set: objects by ${view.sort === 'cycles' ? 'estimated cycles' : 'references'}`,
    body: renderTable(columns, rows, width),
    notes: [
      ['', `${shown.length} of ${formatCount(view.rows.length)} objects.`],
      ['from', 'when its life began, in instructions of replay time.'],
      ['to', 'when it ended.'],
    ],
  };
}
