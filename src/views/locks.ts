// Stage: profile -> views. Locks: how often and by whom they are acquired, how long that takes and how long they are
// held in replay time, and what those who hold them touch. docs/threads.md.

import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { LockColumns, Profile } from '../profile/profile.js';
import { Sync } from '../trace/layout.js';
import { wrapRows } from './envelope.js';
import { spellName } from './sites.js';
import type { View } from './view.js';

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
  /** Of those misses. */
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
  /** Held at the end: not among the holds. */
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
  /** Of all rows: sums, and the longest. */
  readonly all: LockTimes & HeldReferences;
}

const KINDS: Readonly<Record<number, string>> = {
  [Sync.mutex]: 'mutex',
  [Sync.rwlock]: 'rwlock',
  [Sync.spinlock]: 'spinlock',
  [Sync.semaphore]: 'semaphore',
};

/** What threads waited for longest first, then by acquisitions, then by name. */
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
