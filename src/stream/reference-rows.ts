// Stage: replay -> stream. References in rows: what each is, what nothing else of the trace says of it, and what the
// caches did with it. engine/stream/reference_rows.h is the same.

/** Only those that are asked for are made. */
export const RAW_COLUMNS = [
  'slot',
  'number',
  'address',
  'size',
  'thread',
  'core',
  'time',
  'caller',
  'caller2',
  'caller3',
  'caller4',
  'object',
  'offset',
  'site',
  'age',
  'value',
  'outcome',
  'evicted',
  'l2Evicted',
  'llcEvicted',
  'evictedObject',
  'l2EvictedObject',
  'llcEvictedObject',
  'invalidated',
] as const;
export type RawColumn = (typeof RAW_COLUMNS)[number];

/** Rows in the order of the replay. */
export interface ReferenceRows {
  readonly count: number;
  /** SlotId: says the kind, the type, the field, the variable, and the place in the source. */
  readonly slot?: Uint32Array;
  /** Of the row, from 0, in the order of the replay. */
  readonly number?: Float64Array;
  readonly address?: Float64Array;
  /** Bytes of the reference, which lie in one line. */
  readonly size?: Uint32Array;
  readonly thread?: Uint32Array;
  /** The thread's. */
  readonly core?: Uint16Array;
  /** Replay time before the step. */
  readonly time?: Float64Array;
  /** Functions that called the reference's, the nearest first; NO_INDEX: none that is known. */
  readonly caller?: Uint32Array;
  readonly caller2?: Uint32Array;
  readonly caller3?: Uint32Array;
  readonly caller4?: Uint32Array;
  /** The live object's number; NO_INDEX: none that is known. */
  readonly object?: Uint32Array;
  /** Of the address from the object's beginning, in bytes. */
  readonly offset?: Float64Array;
  /** SlotId of the object's allocation; NO_INDEX: none is known. */
  readonly site?: Uint32Array;
  /** Replay time since the object's present life began. */
  readonly age?: Float64Array;
  /** What its access loaded or stored. */
  readonly value?: BigUint64Array;
  /** With `value`: where it is known (validity.ts). Elsewhere it is 0. */
  readonly valueKnown?: Uint8Array;
  /** contract/outcome-word.ts. */
  readonly outcome?: Uint32Array;
  /** Address of the line that had to leave the core's cache of the level, the first of several; 0: none. */
  readonly evicted?: Float64Array;
  readonly l2Evicted?: Float64Array;
  readonly llcEvicted?: Float64Array;
  /** The number of the live object that the evicted line's first byte lies in; NO_INDEX: none that is known. */
  readonly evictedObject?: Uint32Array;
  readonly l2EvictedObject?: Uint32Array;
  readonly llcEvictedObject?: Uint32Array;
  /** Invalidations: cores (L1s, where cores share one) that lost the line to this store, out of their L1 or L2. */
  readonly invalidated?: Uint32Array;
  /** Columns that were asked for packed (packed-column.ts), by the native engine. */
  readonly packed?: readonly { readonly values: ArrayBuffer; readonly validity?: ArrayBuffer }[];
}

/** A column of small numbers that a slot or an outcome says: table[(its slot or outcome) >> shift & mask]. */
export interface Packing {
  readonly ofOutcome: number;
  readonly shift: number;
  readonly mask: number;
  /** NO_INDEX: no value. */
  readonly table: Uint32Array;
  /** A number has 1, 2 or 4. */
  readonly bytes: number;
  /** The table has NO_INDEX. */
  readonly mayLack: number;
}
