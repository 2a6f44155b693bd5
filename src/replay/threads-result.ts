// Stage: replay -> profile. What an engine returns of what threads have in common: shared variables, locks.
// docs/threads.md defines each number.

/** What is to be collected of addresses that several threads refer to. */
export interface SharedVariablesRequest {
  /** Counts (of an address, a slot and a thread) at a time, at most. */
  readonly mostCounts: number;
}

export const MOST_SHARED_COUNTS = 2 ** 22;

/** Accesses to the addresses that are kept; rows are distinct. */
export interface SharedVariableTable {
  readonly count: number;
  readonly slot: Uint32Array;
  /** Row of the LabelTable: as of a reference by the slot when the address's life ended. */
  readonly label: Uint32Array;
  /** As in TallyTable, rule object; NO_INDEX where the object has no declared type. */
  readonly leaf: Uint32Array;
  /** Row of Catalog.variables: the object's, of an address in none the slot's; 0 none. */
  readonly variable: Uint32Array;
  readonly thread: Uint32Array;
  readonly accesses: Float64Array;
}

export interface SharedAddresses {
  /** Addresses that several threads referred to, and those of them that are kept. */
  readonly shared: number;
  readonly kept: number;
  /** There were as many counts as there may be. */
  readonly isFull: boolean;
  /** Accesses that were not counted from then on, and those whose count was given up. */
  readonly uncounted: number;
}

/** Locks that read the same, in the order in which the first of each was acquired first. */
export interface LockTable {
  readonly count: number;
  /** Sync, of layout.ts: mutex, rwlock, spinlock or semaphore. */
  readonly kind: Uint8Array;
  /** Row of the LabelTable: of the byte at the lock's address. */
  readonly label: Uint32Array;
  /** As in UnusedBytesTable. */
  readonly leaf: Uint32Array;
  /** Row of Catalog.variables that the lock lies in; 0 none. */
  readonly variable: Uint32Array;
  /** Different locks that were acquired. */
  readonly locks: Float64Array;
  readonly acquisitions: Float64Array;
  /** Acquisitions that raised their thread's clock; by how much in all, and at most. */
  readonly waits: Float64Array;
  readonly wait: Float64Array;
  readonly longestWait: Float64Array;
  /** Times that a thread held one, released by now; how long in all, and at most. */
  readonly holds: Float64Array;
  readonly hold: Float64Array;
  readonly longestHold: Float64Array;
  /** Held at the end. */
  readonly unreleased: Float64Array;
}

export interface LockThreadTable {
  readonly count: number;
  /** Row of the LockTable. */
  readonly lock: Uint32Array;
  readonly thread: Uint32Array;
  readonly acquisitions: Float64Array;
}

export interface LockCallerTable {
  readonly count: number;
  readonly lock: Uint32Array;
  /** Row of the call paths: how the thread came to the acquisition; 0 unknown. */
  readonly path: Uint32Array;
  readonly acquisitions: Float64Array;
}

/** References while the lock was the innermost one held. */
export interface LockDataTable {
  readonly count: number;
  readonly lock: Uint32Array;
  /** Row of the LabelTable: the reference's. */
  readonly label: Uint32Array;
  readonly references: Float64Array;
  /** L1 misses, and those of them that are sharing. */
  readonly misses: Float64Array;
  readonly trueSharing: Float64Array;
  readonly falseSharing: Float64Array;
}

export interface LockTables {
  readonly locks: LockTable;
  readonly lockThreads: LockThreadTable;
  readonly lockCallers: LockCallerTable;
  readonly lockData: LockDataTable;
}
