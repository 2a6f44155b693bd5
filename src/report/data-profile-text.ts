// Stage: views -> text. The data profile as a table.

import type { DataProfile, DataProfileRow } from '../views/data-profile.js';
import { formatBytes, formatCount, formatCycles, formatShare, plural } from './format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const columns: readonly TextColumn[] = [
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right' },
  { heading: 'miss rate', align: 'right' },
  { heading: 'references', align: 'right', expendable: 1 },
  { heading: 'L2 misses', align: 'right', expendable: 2 },
  { heading: 'LLC misses', align: 'right', expendable: 3 },
  { heading: 'c2c', align: 'right', expendable: 5 },
  { heading: 'cycles', align: 'right', expendable: 4 },
  { heading: 'live', align: 'right', expendable: 7 },
  { heading: 'working set', align: 'right', expendable: 6 },
  { heading: 'cores', align: 'left' },
];

/** What a type's lines do between cores: in words, and where a narrower terminal has no room for them. */
const FLAGS = {
  bounce: ['bounce', 'bounce'],
  writeShared: ['write-shared', 'shared'],
  orderBound: ['order-bound', 'bound'],
} as const;
type Spelling = 0 | 1;
const LONGEST_FLAGS = 20;

/** The table of a narrower terminal stays what people know. */
const ROOMY = 160;

/** Shown where there is room and some type has any. */
const occasional: readonly {
  readonly column: TextColumn;
  readonly meaning: string;
  readonly get: (row: DataProfileRow) => number;
}[] = [
  {
    column: { heading: 'before use', align: 'right', expendable: 8 },
    meaning: 'L1 misses of stores before the first load of an object.',
    get: (row) => row.missesBeforeFirstUse,
  },
  {
    column: { heading: 'after use', align: 'right', expendable: 9 },
    meaning: 'L1 misses of stores after the last load of an object.',
    get: (row) => row.missesAfterLastUse,
  },
  {
    column: { heading: 'freed elsewhere', align: 'right', expendable: 10 },
    meaning: 'objects freed on another core than the one that allocated them.',
    get: (row) => row.freesOnOtherCore,
  },
];

export function dataProfileSection(view: DataProfile, top: number, width: number): TextSection {
  const referenced = view.rows.filter((row) => row.references.loads + row.references.stores > 0);
  const shown = referenced.slice(0, top);
  const { totals } = view;
  const isByCycles = view.sort === 'cycles';
  const extra = [
    ...(isByCycles
      ? [
          {
            column: { heading: 'est. cycles', align: 'right' } as const,
            meaning: 'latency of the accesses that missed the L1.',
            get: (row: DataProfileRow) => row.missLatencyCycles,
          },
        ]
      : []),
    ...occasional.filter(({ get }) => width >= ROOMY && referenced.some((row) => get(row) > 0)),
  ];
  const spelling: Spelling = width < ROOMY && shown.some((row) => spellFlags(row, 0).length > LONGEST_FLAGS) ? 1 : 0;
  const missesOfAll = totals.levels.l1.misses;
  // Not among the totals: a sum over all rows, where all rows are there.
  const ofRows = (get: (row: DataProfileRow) => number): string =>
    view.filter === undefined ? formatCount(view.rows.reduce((sum, row) => sum + get(row), 0)) : '';
  const all = [
    'all types',
    formatCount(missesOfAll),
    formatShare(missesOfAll, missesOfAll),
    formatShare(missesOfAll, totals.references),
    formatCount(totals.references),
    formatCount(totals.levels.l2.misses),
    formatCount(totals.levels.llc.misses),
    ofRows((row) => row.servedBy.cache),
    '',
    '',
    '',
    '',
    ...extra.map(({ get }) => ofRows(get)),
  ];
  return {
    title: `data profile: types by ${isByCycles ? 'estimated cycles' : 'L1 misses'}`,
    body: renderTable(
      [...columns, ...extra.map(({ column }) => column)],
      [
        ...shown.map((row) => [...cells(row, missesOfAll, spelling), ...extra.map(({ get }) => formatCount(get(row)))]),
        all,
      ],
      width,
    ),
    notes: [
      ['', `${shown.length} of ${referenced.length} types that were referenced.`],
      ['of all', `of ${plural(missesOfAll, 'L1 miss')}.`],
      ['miss rate', 'L1 misses per reference of the type.'],
      ['c2c', "served by another core's cache."],
      ['cycles', 'average latency of a reference.'],
      ['live', 'most objects at once.'],
      ['working set', 'average bytes of live objects.'],
      [
        'cores',
        `bounce = an object went from core to core; ${FLAGS.writeShared[spelling]} = a line was referenced by two cores, one storing; ${FLAGS.orderBound[spelling]} = recorded locks decided which core came first.`,
      ],
      ...extra.map(({ column, meaning }): [string, string] => [column.heading, meaning]),
    ],
  };
}

function cells(row: DataProfileRow, missesOfAll: number, spelling: Spelling): string[] {
  const references = row.references.loads + row.references.stores;
  const misses = row.misses.l1.loads + row.misses.l1.stores;
  return [
    row.type,
    formatCount(misses),
    formatShare(misses, missesOfAll),
    formatShare(misses, references),
    formatCount(references),
    formatCount(row.misses.l2.loads + row.misses.l2.stores),
    formatCount(row.misses.llc.loads + row.misses.llc.stores),
    formatCount(row.servedBy.cache),
    formatCycles(row.averageLatencyCycles),
    formatCount(row.liveObjects),
    formatBytes(row.workingSetBytes),
    spellFlags(row, spelling),
  ];
}

function spellFlags(row: DataProfileRow, spelling: Spelling): string {
  return (['bounce', 'writeShared', 'orderBound'] as const)
    .flatMap((flag) => (row[flag] ? [FLAGS[flag][spelling]] : []))
    .join(' ');
}
