// Stage: trace -> stream. References in rows: what each is, and what nothing else of the trace says of it.

/** Beside slots; only those that are asked for are made. */
export const RAW_COLUMNS = ['address', 'size', 'thread', 'time', 'object'] as const;
export type RawColumn = (typeof RAW_COLUMNS)[number];

/** Rows in the order of the run. */
export interface ReferenceRows {
  readonly count: number;
  /** SlotId: says the kind, the type, the field, the variable, and the place in the source. */
  readonly slot: Uint32Array;
  readonly address?: Float64Array;
  /** Bytes of the reference, which lie in one line. */
  readonly size?: Uint32Array;
  readonly thread?: Uint32Array;
  /** Instructions of the thread before the record. */
  readonly time?: Float64Array;
  /** The live object's number; NO_INDEX: none that is known. */
  readonly object?: Uint32Array;
}
