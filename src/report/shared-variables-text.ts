// Stage: views -> text. Shared variables, a line each: where, what, and how often each thread.

import { byCount, type SharedVariableRow, type SharedVariables } from '../views/shared-variables.js';
import { formatCount, formatShare, plural } from './format-number.js';
import { briefSite } from './text-lines.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const columns: readonly TextColumn[] = [
  { heading: 'accesses', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 2 },
  { heading: 'threads', align: 'right' },
  { heading: 'line', align: 'left', shortest: 12 },
  { heading: 'variable', align: 'left', shortest: 16 },
  { heading: 'by thread', align: 'left', shortest: 20, isList: true, expendable: 1 },
];

const MOST_THREADS = 4;

export function sharedVariablesSection(view: SharedVariables, top: number, width: number): TextSection {
  const { rows, addresses } = view;
  const all = rows.reduce((sum, { totalcount }) => sum + totalcount, 0);
  const shown = rows.slice(0, top);
  const cells = shown.map((row) => [
    formatCount(row.totalcount),
    formatShare(row.totalcount, all),
    formatCount(row.threadcount),
    row.file === null ? '-' : `${briefSite(row.file)}:${row.line}`,
    row.variable,
    describeThreads(row),
  ]);
  const full = addresses.isFull
    ? [
        [
          '',
          `INCOMPLETE: there was room for ${plural(addresses.mostCounts, 'count')} (of an address, an access in the text and a thread) at a time; left out: ${plural(addresses.uncounted, 'access')} behind.`,
        ] as const,
      ]
    : [];
  return {
    title: 'shared variables: what several threads refer to about equally often',
    body:
      shown.length === 0
        ? 'no address was referred to by two threads, the busiest less than twice as often as the next'
        : renderTable(columns, [...cells, [formatCount(all), '', '', 'all lines']], width),
    notes: [
      [
        '',
        `${shown.length} of ${formatCount(rows.length)} lines and variables; ${formatCount(addresses.kept)} of ${formatCount(addresses.shared)} addresses that several threads referred to, each by its busiest thread less than twice as often as by the next.`,
      ],
      ...full,
      ['of all', `of ${plural(all, 'access')} to those addresses.`],
      ['threads', 'that refer to them on this line; other threads may on others.'],
      ['by thread', 'thread: accesses, busiest first.'],
    ],
  };
}

function describeThreads(row: SharedVariableRow): string {
  const threads = byCount(row);
  const shown = threads.slice(0, MOST_THREADS).map(({ thread, count }) => `${thread}: ${formatCount(count)}`);
  return threads.length > MOST_THREADS
    ? `${shown.join('  ')}  … ${formatCount(threads.length - MOST_THREADS)} more`
    : shown.join('  ');
}
