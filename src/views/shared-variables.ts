// Stage: profile -> views. DINAMITE's shared variables: where the program refers to addresses that several threads
// refer to about equally often, by source line and variable, and how often each thread does. docs/threads.md.

import { formatCount, plural } from '../base/format-number.js';
import { DprofError } from '../base/dprof-error.js';
import type { Profile, SharedAddressFacts } from '../profile/profile.js';
import { column, count, name, place, type Column } from './columns.js';
import { wrapRows } from './envelope.js';
import { briefSite } from './sites.js';
import type { View } from './view.js';
import type { ViewDefinition } from './view-definition.js';

export interface SharedVariableRow {
  readonly file: string | null;
  /** null: the debug information does not say. */
  readonly line: number | null;
  readonly variable: string;
  readonly type: string;
  readonly threadcount: number;
  readonly totalcount: number;
  /** By thread. */
  readonly threads: Readonly<Record<string, number>>;
  /** Of the accesses; an atomic that loads and stores is a store. */
  readonly loads: number;
  readonly stores: number;
  /** No row of the variable stores. */
  readonly isOnlyRead: boolean;
}

export interface SharedVariables extends View<SharedVariableRow> {
  readonly addresses: SharedAddressFacts;
}

type Counted = { -readonly [Key in keyof SharedVariableRow]: SharedVariableRow[Key] } & {
  readonly threads: Record<string, number>;
};

/** What is stored to first, then what is only read; most accesses first, then by file, line and variable. */
export function buildSharedVariables(profile: Profile): SharedVariables {
  const { sharedVariables: columns, sharedAddresses: addresses, strings, types, sites } = profile;
  if (columns === undefined || addresses === undefined) {
    throw new DprofError(
      'shared variables were not collected when this profile was made',
      'dprof report TRACE --view shared-variables, or dprof replay TRACE --shared-variables -o PROFILE',
    );
  }
  const rows = new Map<string, Counted>();
  const storedTo = new Set<string>();
  columns.accesses.forEach((accesses, at) => {
    const [site, variable, type] = [columns.site[at], columns.variable[at], columns.type[at]];
    const key = `${site} ${variable} ${type}`;
    let row = rows.get(key);
    if (row === undefined) {
      const file = strings[sites.file[site]];
      row = {
        file: file || null,
        line: file ? sites.line[site] : null,
        variable: strings[variable],
        type: strings[types.name[type]],
        threadcount: 0,
        totalcount: 0,
        threads: {},
        loads: 0,
        stores: 0,
        isOnlyRead: true,
      };
      rows.set(key, row);
    }
    const thread = columns.thread[at];
    row.threads[thread] = (row.threads[thread] ?? 0) + accesses;
    row.threadcount = Object.keys(row.threads).length;
    row.totalcount += accesses;
    row[columns.stores[at] === 0 ? 'loads' : 'stores'] += accesses;
    if (columns.stores[at] !== 0) storedTo.add(variableOf(row));
  });
  for (const row of rows.values()) row.isOnlyRead = !storedTo.has(variableOf(row));
  // The columns are sorted by site and variable, and so are equals.
  const sorted = [...rows.values()].sort(
    (a, b) => Number(a.isOnlyRead) - Number(b.isOnlyRead) || b.totalcount - a.totalcount,
  );
  return { ...wrapRows(profile, 'shared-variables', sorted), addresses };
}

function variableOf({ variable, type }: SharedVariableRow): string {
  return JSON.stringify([variable, type]);
}

function byCount({ threads }: SharedVariableRow): { readonly thread: number; readonly count: number }[] {
  return Object.entries(threads)
    .map(([thread, count]) => ({ thread: Number(thread), count }))
    .sort((a, b) => b.count - a.count || a.thread - b.thread);
}

const MOST_THREADS = 4;

export function sharedVariableColumns({ rows }: SharedVariables): Column<SharedVariableRow>[] {
  const all = rows.reduce((sum, { totalcount }) => sum + totalcount, 0);
  return [
    name('variable', 'variable', { where: 'page', width: 36 }),
    name('type', 'type', { where: 'page', width: 26 }, 'type'),
    place('at', { where: 'page', width: 26 }),
    count('accesses', 'totalcount', { all }),
    column(
      'share',
      'totalcount/totals.accesses',
      'of all',
      ({ totalcount }: SharedVariableRow) => ({ part: totalcount, whole: all }),
      { meaning: `of ${plural(all, 'access')} to those addresses.`, expendable: 2 },
    ),
    count('loads', 'loads', { expendable: 4 }),
    count('stores', 'stores', { meaning: 'of the accesses; an atomic that loads and stores is one.' }),
    count('threads', 'threadcount', { meaning: 'that refer to them on this line; other threads may on others.' }),
    column(
      'name',
      'line',
      'line',
      ({ file, line }: SharedVariableRow) => (file === null ? null : `${briefSite(file)}:${line}`),
      { shortest: 12, all: 'all lines', where: 'text' },
    ),
    name('variable', 'variable', { shortest: 16, where: 'text' }),
    column('words', 'threads', 'by thread', briefThreads, {
      meaning: 'thread: accesses, busiest first.',
      shortest: 20,
      isList: true,
      expendable: 1,
      where: 'text',
    }),
    column('words', 'threads', 'by thread', (row: SharedVariableRow) => spellThreads(row).join(', '), {
      meaning: 'accesses by thread, the busiest first',
      where: 'page',
      width: 44,
    }),
  ];
}

function spellThreads(row: SharedVariableRow): string[] {
  return byCount(row).map(({ thread, count: accesses }) => `${thread}: ${formatCount(accesses)}`);
}

function briefThreads(row: SharedVariableRow): string {
  const threads = spellThreads(row);
  const shown = threads.slice(0, MOST_THREADS).join('  ');
  return threads.length > MOST_THREADS ? `${shown}  … ${formatCount(threads.length - MOST_THREADS)} more` : shown;
}

export const sharedVariables: ViewDefinition<SharedVariables> = {
  build: buildSharedVariables,
  needs: 'sharedVariables',
  columns: sharedVariableColumns,
  /** Threads in one column, busiest first: "0:1200 1:1199". */
  csvRows: ({ rows }) => rows.map((row) => ({ ...row, threads: byCount(row) })),
  table(view, top) {
    const { rows, addresses } = view;
    const shown = rows.slice(0, top);
    const onlyRead = rows.filter(({ isOnlyRead }) => isOnlyRead).length;
    return {
      title: 'shared variables: what several threads refer to about equally often',
      columns: sharedVariableColumns(view),
      lines: shown,
      hasAll: true,
      empty: 'no address was referred to by two threads, the busiest less than twice as often as the next',
      notes: [
        `${shown.length} of ${formatCount(rows.length)} lines and variables; ${formatCount(addresses.kept)} of ` +
          `${formatCount(addresses.shared)} addresses that several threads referred to, each by its busiest ` +
          'thread less than twice as often as by the next.',
        ...(onlyRead > 0
          ? [
              `${plural(onlyRead, 'row')} of variables that are only read stand last: reading takes no line from ` +
                'another core.',
            ]
          : []),
        ...(addresses.isFull
          ? [
              `INCOMPLETE: there was room for ${plural(addresses.mostCounts, 'count')} (of an address, an ` +
                `access in the text and a thread) at a time; left out: ${plural(addresses.uncounted, 'access')} ` +
                'behind.',
            ]
          : []),
      ],
    };
  },
};
