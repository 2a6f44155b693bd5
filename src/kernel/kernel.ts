// Stage: stream -> kernel. What a kernel's file imports as 'dprof': a kernel counts what it likes in the references of
// a run. docs/kernels.md.

import { hasValue } from '../stream/validity.js';
import type { ColumnName, STREAM_COLUMNS } from '../stream/stream-columns.js';

/** A column of words: places in a dictionary that all batches, and all workers, share. */
export class Words {
  constructor(
    /** By row: a place in `words`. */
    readonly codes: Uint8Array | Uint16Array | Uint32Array,
    /** The last one is null: nobody knows, or there is none. */
    readonly words: readonly (string | null)[],
  ) {}

  at(row: number): string | null {
    return this.words[this.codes[row]];
  }
}

/** A column of numbers of 64 bits, which JavaScript's own do not hold. */
export class WideNumbers {
  constructor(
    /** By row; 0 where there is none. */
    readonly numbers: BigUint64Array,
    private readonly validity: Uint8Array | null,
  ) {}

  at(row: number): bigint | null {
    return this.validity === null || hasValue(this.validity, row) ? this.numbers[row] : null;
  }
}

/** Other numbers are NaN where there is none. */
type ColumnOf<Name extends ColumnName> = (typeof STREAM_COLUMNS)[Name]['kind'] extends 'words'
  ? Words
  : (typeof STREAM_COLUMNS)[Name]['kind'] extends 'u64'
    ? WideNumbers
    : Float64Array | Uint32Array | Uint16Array;

/** A few ten thousand references, in the order of the replay. */
export type Rows<Name extends ColumnName> = { readonly count: number } & {
  readonly [Column in Name]: ColumnOf<Column>;
};

/** By key; keys of several parts are lists. */
export class Counts extends Map<string, number> {
  add(key: string | number | null | readonly (string | number | null)[], by = 1): void {
    const spelled = typeof key === 'string' ? key : JSON.stringify(key);
    this.set(spelled, (this.get(spelled) ?? 0) + by);
  }
}

export interface Kernel<Name extends ColumnName = ColumnName, State = unknown> {
  /** Only these are made. */
  readonly columns: readonly Name[];
  /** Batches come one after the other, to one worker; else to any of several, each with a state of its own. */
  readonly ordered?: boolean;
  /** A state that nothing is counted in yet, of what structuredClone takes; without it, Counts. */
  readonly start?: () => State;
  /** Counts the rows in the state, or returns another one. */
  readonly batch: (rows: Rows<Name>, state: State) => State | void;
  /** The state of two workers in one; without it, Counts are added. */
  readonly merge?: (a: State, b: State) => State;
  /** The answer: rows of a table, text, or anything that JSON has a word for; without it, the counts. */
  readonly end?: (state: State) => unknown;
}

export function kernel<const Name extends ColumnName, State = Counts>(made: Kernel<Name, State>): Kernel<Name, State> {
  return made;
}

/** The largest counts first, as rows; `names`: of the parts of their keys. */
export function top(counts: ReadonlyMap<string, number>, most: number, ...names: string[]): Record<string, unknown>[] {
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([key, count]) => ({ ...partsOf(key, names), count }));
}

function partsOf(key: string, names: readonly string[]): Record<string, unknown> {
  if (names.length < 2) return { [names[0] ?? 'key']: key };
  const parts = JSON.parse(key) as unknown[];
  return Object.fromEntries(names.map((name, at) => [name, parts[at]]));
}
