// Stage: replay -> profile. What an engine returns of what threads have in common: shared variables. docs/threads.md defines each number.

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
