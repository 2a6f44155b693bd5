// Stage: replay -> profile. An engine's result about things that threads share: shared variables, locks.
// docs/threads.md defines each number.

import { key, largest, rowOf, rowOrNone, sum, type ResultTable } from '../base/table-description.js';

/** The limits for collecting addresses that several threads refer to. */
export interface SharedVariablesRequest {
  /** Counts (of an address, a slot and a thread) at a time, at most. */
  readonly mostCounts: number;
}

export const MOST_SHARED_COUNTS = 2 ** 22;

export const SHARED_VARIABLE_MEASURES = { accesses: sum('accesses') } as const;

/** Accesses to the addresses that are kept; rows are distinct. */
export const SHARED_VARIABLE_COLUMNS = {
  slot: rowOf('slot'),
  /** As of a reference by the slot when the address's life ended. */
  label: rowOf('label'),
  /** As in TALLY_COLUMNS, rule object; NO_INDEX where the object has no declared type. */
  leaf: rowOrNone('leaf'),
  /** Row of Catalog.variables: the object's, of an address in none the slot's; 0 none. */
  variable: rowOf('variable'),
  thread: key('u32'),
  ...SHARED_VARIABLE_MEASURES,
} as const;
export type SharedVariableTable = ResultTable<typeof SHARED_VARIABLE_COLUMNS>;

export interface SharedAddresses {
  /** Addresses that several threads referred to, and those of them that are kept. */
  readonly shared: number;
  readonly kept: number;
  /** The limit of counts was reached. */
  readonly isFull: boolean;
  /** Accesses that were not counted from then on, and those whose count was given up. */
  readonly uncounted: number;
}

export const LOCK_MEASURES = {
  /** Different locks that were acquired. */
  locks: sum('counts'),
  acquisitions: sum('counts'),
  /** Acquisitions that raised their thread's clock; by how much in all, and at most. */
  waits: sum('counts'),
  wait: sum('instructions'),
  longestWait: largest('instructions'),
  /** Times that a thread held one, released by now; how long in all, and at most. */
  holds: sum('counts'),
  hold: sum('instructions'),
  longestHold: largest('instructions'),
  /** Held at the end. */
  unreleased: sum('counts'),
} as const;

/** Locks that read the same, in the order in which the first of each was acquired first. */
export const LOCK_COLUMNS = {
  /** Sync, of layout.ts: mutex, rwlock, spinlock or semaphore. */
  kind: key('u8'),
  /** The label of the byte at the lock's address. */
  label: rowOf('label'),
  /** As in UNUSED_BYTES_COLUMNS. */
  leaf: rowOrNone('leaf'),
  /** Row of Catalog.variables that the lock lies in; 0 none. */
  variable: rowOf('variable'),
  ...LOCK_MEASURES,
} as const;
export type LockTable = ResultTable<typeof LOCK_COLUMNS>;

export const LOCK_PART_MEASURES = { acquisitions: sum('counts') } as const;

export const LOCK_THREAD_COLUMNS = { lock: rowOf('lock'), thread: key('u32'), ...LOCK_PART_MEASURES } as const;
export type LockThreadTable = ResultTable<typeof LOCK_THREAD_COLUMNS>;

/** `path`: how the thread came to the acquisition; 0 unknown. */
export const LOCK_CALLER_COLUMNS = { lock: rowOf('lock'), path: rowOf('call path'), ...LOCK_PART_MEASURES } as const;
export type LockCallerTable = ResultTable<typeof LOCK_CALLER_COLUMNS>;

export const LOCK_DATA_MEASURES = {
  references: sum('references'),
  /** L1 misses, and those of them that are sharing. */
  misses: sum('misses'),
  trueSharing: sum('misses'),
  falseSharing: sum('misses'),
} as const;

/** References while the lock was the innermost one held; `label`: the reference's. */
export const LOCK_DATA_COLUMNS = { lock: rowOf('lock'), label: rowOf('label'), ...LOCK_DATA_MEASURES } as const;
export type LockDataTable = ResultTable<typeof LOCK_DATA_COLUMNS>;

export interface LockTables {
  readonly locks: LockTable;
  readonly lockThreads: LockThreadTable;
  readonly lockCallers: LockCallerTable;
  readonly lockData: LockDataTable;
}
