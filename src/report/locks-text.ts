// Stage: views -> text. Locks, a line each; under them who acquires them, and what those who hold them touch.

import type { LockRow, Locks } from '../views/locks.js';
import { formatCount, formatShare, plural } from './format-number.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const columns: readonly TextColumn[] = [
  { heading: 'lock', align: 'left', shortest: 16 },
  { heading: 'kind', align: 'left', expendable: 3 },
  { heading: 'locks', align: 'right', expendable: 5 },
  { heading: 'acquired', align: 'right' },
  { heading: 'threads', align: 'right', expendable: 4 },
  { heading: 'waited', align: 'right' },
  { heading: 'wait', align: 'right' },
  { heading: 'longest wait', align: 'right', expendable: 2 },
  { heading: 'hold', align: 'right' },
  { heading: 'longest hold', align: 'right', expendable: 2 },
];

const partColumns: readonly TextColumn[] = [
  { heading: 'lock', align: 'left', shortest: 12 },
  { heading: '', align: 'left' },
  { heading: 'function or type', align: 'left', shortest: 20 },
  { heading: 'acquired', align: 'right' },
  { heading: 'references', align: 'right' },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'true sharing', align: 'right', expendable: 2 },
  { heading: 'false sharing', align: 'right', expendable: 1 },
];

const MOST_PARTS = 4;

export function locksSection(view: Locks, top: number, width: number): TextSection {
  const { rows, all, totals } = view;
  const shown = rows.slice(0, top);
  const lines = shown.map((row) => [
    row.lock,
    row.kind,
    formatCount(row.locks),
    formatCount(row.acquisitions),
    formatCount(row.threadcount),
    ...times(row),
  ]);
  const main = renderTable(
    columns,
    [...lines, ['all locks', '', '', formatCount(all.acquisitions), '', ...times(all)]],
    width,
  );
  const unreleased =
    all.unreleased === 0
      ? []
      : [
          [
            '',
            `${formatCount(all.unreleased)} ${all.unreleased === 1 ? 'was' : 'were'} held at the end, and ${all.unreleased === 1 ? 'is' : 'are'} in no hold.`,
          ] as const,
        ];
  return {
    title: 'locks: waits and holds in instructions of replay time, what holders touch',
    body: rows.length === 0 ? nothing(view) : `${main}\n\n${renderTable(partColumns, shown.flatMap(partLines), width)}`,
    notes: [
      [
        '',
        `${shown.length} of ${formatCount(rows.length)} names of locks. Under locks: ${plural(all.references, 'reference')} (${formatShare(all.references, totals.references)} of all), ${plural(all.l1Misses, 'L1 miss')} (${formatShare(all.l1Misses, totals.levels.l1.misses)}), each with the lock acquired last. Who had a lock first is as it was recorded.`,
      ],
      ...unreleased,
      ['locks', 'different ones of that name.'],
      ['waited', 'acquisitions that had to wait: they raised the clock of their thread, by wait in all.'],
      ['hold', 'from acquisition to release, in the clock of the thread that holds it.'],
    ],
  };
}

function nothing({ threads }: Locks): string {
  return threads < 2 ? 'no lock: of a thread for itself they are not counted' : 'no lock was acquired';
}

function times(
  of: Pick<
    LockRow,
    'waits' | 'waitInstructions' | 'longestWaitInstructions' | 'holdInstructions' | 'longestHoldInstructions'
  >,
): string[] {
  return [
    of.waits,
    of.waitInstructions,
    of.longestWaitInstructions,
    of.holdInstructions,
    of.longestHoldInstructions,
  ].map(formatCount);
}

function partLines({ lock, functions, data }: LockRow): string[][] {
  const callers = functions
    .slice(0, MOST_PARTS)
    .map(({ path, acquisitions }) => ['acquired by', path.join(' < ') || '(unknown)', formatCount(acquisitions)]);
  const touched = data
    .slice(0, MOST_PARTS)
    .map((part) => [
      'touches',
      part.type,
      '',
      ...[part.references, part.l1Misses, part.trueSharing, part.falseSharing].map(formatCount),
    ]);
  const more = (count: number): string[][] =>
    count > MOST_PARTS ? [['', `… ${formatCount(count - MOST_PARTS)} more`]] : [];
  return [...callers, ...more(functions.length), ...touched, ...more(data.length)].map((cells, index) => [
    index === 0 ? lock : '',
    ...cells,
  ]);
}
