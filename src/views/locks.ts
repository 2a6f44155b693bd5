// Stage: profile -> views. Locks: how often and by whom they are acquired, how long that takes and how long they are
// held in replay time, and what those who hold them touch. docs/threads.md.

import { formatCount, formatShare, plural } from '../base/format-number.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { LockColumns, Profile } from '../profile/profile.js';
import { Sync } from '../trace/layout.js';
import { column, count, name, share, type Column } from './columns.js';
import { wrapRows } from './envelope.js';
import { spellName } from './sites.js';
import type { View } from './view.js';
import type { ViewDefinition } from './view-definition.js';

export interface LockFunction {
  /** null: the thread was in no function that is known. */
  readonly function: string | null;
  /** It and its callers, innermost first. */
  readonly path: readonly string[];
  readonly acquisitions: number;
}

export interface HeldReferences {
  readonly references: number;
  readonly l1Misses: number;
  /** The L1 misses of the classes true sharing and false sharing. */
  readonly trueSharing: number;
  readonly falseSharing: number;
}

export interface LockData extends HeldReferences {
  readonly type: string;
}

interface LockTimes {
  readonly acquisitions: number;
  /** Acquisitions that had to wait. */
  readonly waits: number;
  readonly waitInstructions: number;
  readonly longestWaitInstructions: number;
  readonly holds: number;
  readonly holdInstructions: number;
  readonly longestHoldInstructions: number;
  /** Acquisitions that were still held at the end; they are not among the holds. */
  readonly unreleased: number;
}

export interface LockRow extends LockTimes, HeldReferences {
  readonly lock: string;
  readonly kind: string;
  readonly type: string;
  /** Different ones of that name. */
  readonly locks: number;
  readonly threadcount: number;
  /** Acquisitions by thread. */
  readonly threads: Readonly<Record<string, number>>;
  /** Most acquisitions first. */
  readonly functions: readonly LockFunction[];
  /** Most L1 misses first, then most references. */
  readonly data: readonly LockData[];
}

export interface Locks extends View<LockRow> {
  /** The sums and the longest times of all rows. */
  readonly all: LockTimes & HeldReferences;
}

const KINDS: Readonly<Record<number, string>> = {
  [Sync.mutex]: 'mutex',
  [Sync.rwlock]: 'rwlock',
  [Sync.spinlock]: 'spinlock',
  [Sync.semaphore]: 'semaphore',
};

/** Longest waiting time first, then by acquisitions, then by name. */
export function buildLocks(profile: Profile): Locks {
  const { locks, lockThreads, lockCallers, lockData } = profile;
  if (!locks || !lockThreads || !lockCallers || !lockData) {
    throw new DprofError(
      'this profile says nothing of locks: an older dprof made it',
      'replay the trace again: dprof replay TRACE -o PROFILE',
    );
  }
  const columns: LockColumns = { locks, lockThreads, lockCallers, lockData };
  const [threads, callers, data] = [lockThreads, lockCallers, lockData].map(({ lock }) =>
    groupByLock(lock, locks.kind.length),
  );
  const rows = Array.from(locks.kind, (_, lock) =>
    toRow(profile, columns, lock, threads[lock], callers[lock], data[lock]),
  );
  rows.sort((a, b) => b.waitInstructions - a.waitInstructions || b.acquisitions - a.acquisitions);
  return { ...wrapRows(profile, 'locks', rows), all: sumOf(rows) };
}

/** Rows of a table of parts, by lock. */
function groupByLock(lock: Uint32Array, locks: number): number[][] {
  const rows = Array.from({ length: locks }, (): number[] => []);
  lock.forEach((of, row) => rows[of].push(row));
  return rows;
}

function toRow(
  profile: Profile,
  { locks, lockThreads, lockCallers, lockData }: LockColumns,
  lock: number,
  threads: readonly number[],
  callers: readonly number[],
  held: readonly number[],
): LockRow {
  const { strings, types } = profile;
  const data = held
    .map(
      (row): LockData => ({
        type: strings[types.name[lockData.type[row]]],
        references: lockData.references[row],
        l1Misses: lockData.misses[row],
        trueSharing: lockData.trueSharing[row],
        falseSharing: lockData.falseSharing[row],
      }),
    )
    .sort((a, b) => b.l1Misses - a.l1Misses || b.references - a.references);
  const sum = (of: (part: HeldReferences) => number): number => data.reduce((total, part) => total + of(part), 0);
  return {
    lock: strings[locks.name[lock]],
    kind: KINDS[locks.kind[lock]] ?? 'unknown',
    type: strings[types.name[locks.type[lock]]],
    locks: locks.locks[lock],
    acquisitions: locks.acquisitions[lock],
    threadcount: threads.length,
    threads: Object.fromEntries(threads.map((row) => [lockThreads.thread[row], lockThreads.acquisitions[row]])),
    waits: locks.waits[lock],
    waitInstructions: locks.wait[lock],
    longestWaitInstructions: locks.longestWait[lock],
    holds: locks.holds[lock],
    holdInstructions: locks.hold[lock],
    longestHoldInstructions: locks.longestHold[lock],
    unreleased: locks.unreleased[lock],
    references: sum((part) => part.references),
    l1Misses: sum((part) => part.l1Misses),
    trueSharing: sum((part) => part.trueSharing),
    falseSharing: sum((part) => part.falseSharing),
    functions: callers
      .map((row) => toFunction(profile, lockCallers.callPath[row], lockCallers.acquisitions[row]))
      .sort((a, b) => b.acquisitions - a.acquisitions),
    data,
  };
}

function toFunction(profile: Profile, callPath: number, acquisitions: number): LockFunction {
  const path = callPath === NO_INDEX ? [] : (spellName(profile, callPath) ?? '').split('\n');
  return { function: path[0] ?? null, path, acquisitions };
}

function sumOf(rows: readonly LockRow[]): Locks['all'] {
  const sum = (of: (row: LockRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const most = (of: (row: LockRow) => number): number => rows.reduce((largest, row) => Math.max(largest, of(row)), 0);
  return {
    acquisitions: sum((row) => row.acquisitions),
    waits: sum((row) => row.waits),
    waitInstructions: sum((row) => row.waitInstructions),
    longestWaitInstructions: most((row) => row.longestWaitInstructions),
    holds: sum((row) => row.holds),
    holdInstructions: sum((row) => row.holdInstructions),
    longestHoldInstructions: most((row) => row.longestHoldInstructions),
    unreleased: sum((row) => row.unreleased),
    references: sum((row) => row.references),
    l1Misses: sum((row) => row.l1Misses),
    trueSharing: sum((row) => row.trueSharing),
    falseSharing: sum((row) => row.falseSharing),
  };
}

export function lockColumns({ all }: Locks): Column<LockRow>[] {
  return [
    column('name', 'lock', 'lock', ({ lock }: LockRow) => lock, { shortest: 16, width: 36, all: 'all locks' }),
    column('words', 'kind', 'kind', ({ kind }: LockRow) => kind, { expendable: 3 }),
    count('locks', 'locks', { meaning: 'different ones of that name.', expendable: 5 }),
    count('acquired', 'acquisitions', { all: all.acquisitions }),
    count('threads', 'threadcount', { expendable: 4 }),
    count('waited', 'waits', {
      meaning: 'acquisitions that had to wait: they raised the clock of their thread, by wait in all.',
      all: all.waits,
    }),
    count('wait', 'waitInstructions', { tip: 'instructions that threads waited for it', all: all.waitInstructions }),
    count('longest wait', 'longestWaitInstructions', { expendable: 2, all: all.longestWaitInstructions }),
    count('hold', 'holdInstructions', {
      meaning: 'from acquisition to release, in the clock of the thread that holds it.',
      tip: 'instructions that it was held',
      all: all.holdInstructions,
    }),
    count('longest hold', 'longestHoldInstructions', { expendable: 2, all: all.longestHoldInstructions }),
    count('L1 misses', 'l1Misses', { meaning: 'of threads that held it', where: 'page' }),
    count('true sharing', 'trueSharing', { where: 'page' }),
    count('false sharing', 'falseSharing', { where: 'page' }),
    count('references', 'references', { where: 'page' }),
    count('unreleased', 'unreleased', { meaning: 'held at the end', where: 'page' }),
    name('type', 'type', { where: 'page', width: 24 }, 'type'),
    column('words', 'threads', 'acquisitions by thread', spellThreads, { where: 'page', width: 36 }),
  ];
}

/** The busiest first. */
function spellThreads({ threads }: LockRow): string {
  return Object.entries(threads)
    .sort(([a, first], [b, second]) => second - first || Number(a) - Number(b))
    .map(([thread, acquisitions]) => `${thread}: ${formatCount(acquisitions)}`)
    .join(', ');
}

/** Columns of the page's two tables of one lock: who acquires it, and what its holders touch. */
export function lockFunctionColumns({ acquisitions }: LockRow): Column<LockFunction>[] {
  const ofAll = { paths: ['totals.acquisitions'], envelope: { totals: { acquisitions } } };
  return [
    name('function', 'function', { nothing: '(unknown)' }),
    count('acquisitions', 'acquisitions'),
    share('of all', 'acquisitions', ofAll, { meaning: 'of all acquisitions of the lock' }),
    column('name', 'path', 'called by', ({ path }: LockFunction) => path.slice(1).join(' ← '), {
      width: 60,
      nothing: '',
    }),
  ];
}

export function lockDataColumns({ l1Misses }: LockRow): Column<LockData>[] {
  const ofAll = { paths: ['totals.misses'], envelope: { totals: { misses: l1Misses } } };
  return [
    name('type', 'type', { width: 36 }, 'type'),
    count('L1 misses', 'l1Misses'),
    share('of all', 'l1Misses', ofAll, { meaning: 'of all L1 misses of its holders' }),
    count('true sharing', 'trueSharing'),
    count('false sharing', 'falseSharing'),
    count('references', 'references'),
  ];
}

/** Who acquires a lock, or what its holders touch. */
interface LockPart extends Partial<HeldReferences> {
  /** "": the one above. */
  readonly lock: string;
  readonly what: string;
  readonly name?: string;
  readonly acquisitions?: number;
}

const PART_COLUMNS: readonly Column<LockPart>[] = [
  column('name', 'lock', 'lock', ({ lock }: LockPart) => lock, { shortest: 12 }),
  column('words', 'what', '', ({ what }: LockPart) => what),
  column('name', 'name', 'function or type', (part: LockPart) => part.name ?? '', { shortest: 20 }),
  partCount('acquired', 'acquisitions'),
  partCount('references', 'references'),
  partCount('L1 misses', 'l1Misses'),
  partCount('true sharing', 'trueSharing', 2),
  partCount('false sharing', 'falseSharing', 1),
];

function partCount(heading: string, key: 'acquisitions' | keyof HeldReferences, expendable?: number): Column<LockPart> {
  return column('count', key, heading, (part: LockPart) => part[key] ?? '', {
    ...(expendable !== undefined && { expendable }),
  });
}

const MOST_PARTS = 4;

function partLines({ lock, functions, data }: LockRow): LockPart[] {
  const more = (count: number): Omit<LockPart, 'lock'>[] =>
    count > MOST_PARTS ? [{ what: '', name: `… ${formatCount(count - MOST_PARTS)} more` }] : [];
  return [
    ...functions.slice(0, MOST_PARTS).map(({ path, acquisitions }) => ({
      what: 'acquired by',
      name: path.join(' < ') || '(unknown)',
      acquisitions,
    })),
    ...more(functions.length),
    ...data.slice(0, MOST_PARTS).map(({ type, ...held }) => ({ what: 'touches', name: type, ...held })),
    ...more(data.length),
  ].map((part, index) => ({ lock: index === 0 ? lock : '', ...part }));
}

export const locks: ViewDefinition<Locks> = {
  build: buildLocks,
  needs: 'locks',
  columns: lockColumns,
  /**
   * Threads, functions and data in one column each: "0:1200 1:1199", "push<main:20 pop<main:19", "struct
   * task:40:3:0:0".
   */
  csvRows: ({ rows }) =>
    rows.map((row) => ({
      ...row,
      threads: Object.entries(row.threads).map(([thread, acquisitions]) => ({ thread, acquisitions })),
      functions: row.functions.map(({ path, acquisitions }) => ({ path: path.join('<') || '(unknown)', acquisitions })),
    })),
  table(view, top) {
    const { rows, all, totals, threads } = view;
    const shown = rows.slice(0, top);
    const [were, are] = all.unreleased === 1 ? ['was', 'is'] : ['were', 'are'];
    return {
      title: 'locks: waits and holds in instructions of replay time, what holders touch',
      columns: lockColumns(view),
      lines: shown,
      hasAll: true,
      empty: threads < 2 ? 'no lock: of a thread for itself they are not counted' : 'no lock was acquired',
      further: [{ columns: PART_COLUMNS, lines: shown.flatMap(partLines) }],
      notes: [
        `${shown.length} of ${formatCount(rows.length)} names of locks. Under locks: ` +
          `${plural(all.references, 'reference')} (${formatShare(all.references, totals.references)} of all), ` +
          `${plural(all.l1Misses, 'L1 miss')} (${formatShare(all.l1Misses, totals.levels.l1.misses)}), each with ` +
          'the lock acquired last. Who had a lock first is as it was recorded.',
        ...(all.unreleased === 0
          ? []
          : [`${formatCount(all.unreleased)} ${were} held at the end, and ${are} in no hold.`]),
      ],
    };
  },
};
