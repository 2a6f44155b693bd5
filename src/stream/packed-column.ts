// Stage: stream. Values of one column as flat arrays, which databases, Arrow and kernels take as they are: numbers, or
// places in a dictionary, and a bit for each row that has a value.

import type { ReferenceRows } from './reference-rows.js';
import { rawOf } from './row-values.js';
import { STREAM_COLUMNS, type ColumnName, type RowFacts, type StreamColumn, type Value } from './stream-columns.js';

export type PackedValues = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface PackedRows {
  /** Where there is no value: 0. */
  readonly values: PackedValues;
  /** Bit row % 8 of byte row / 8: there is a value. null: everywhere. */
  readonly validity: Uint8Array | null;
}

const NONE = -1;

export class PackedColumn {
  /** By place in the dictionary; null: numbers. */
  readonly words: readonly string[] | null;
  readonly #column: StreamColumn;
  /** Of a raw value: the number, the place of its word, or NONE. */
  readonly #numberOf: (raw: number) => number;

  constructor(
    readonly name: ColumnName,
    facts: RowFacts,
  ) {
    const column: StreamColumn = STREAM_COLUMNS[name];
    this.#column = column;
    const valueOf = column.valueOf(facts);
    if (column.needs === 'slot' || (column.kind === 'words' && column.words === undefined)) {
      // All that there may be lies in slots.
      const values = Array.from({ length: facts.catalog.slots.count }, (_, slot) => valueOf(slot));
      this.words = column.kind === 'words' ? wordsAmong(values) : null;
      const numbers = numbersOf(values, this.words);
      this.#numberOf = (slot) => (slot < numbers.length ? numbers[slot] : NONE);
    } else {
      this.words = column.words ? [...column.words].sort() : null; // databases order by place
      const { words } = this;
      this.#numberOf = remembering((raw) => numberOf(valueOf(raw), words));
    }
  }

  get kind(): 'u8' | 'u16' | 'u32' | 'u53' {
    const { words } = this;
    if (words === null) return this.#column.kind as 'u16' | 'u32' | 'u53';
    return words.length <= 0xff ? 'u8' : words.length <= 0xffff ? 'u16' : 'u32';
  }

  pack(rows: ReferenceRows): PackedRows {
    const raw = rawOf(rows, this.#column.needs);
    if (this.#column.isRaw) return { values: raw, validity: null };
    const { count } = rows;
    const values = new ARRAYS[this.kind](count);
    const numberOf = this.#numberOf;
    let [validity, last, number]: [Uint8Array | null, number, number] = [null, NaN, NONE];
    for (let row = 0; row < count; row++) {
      const own = raw[row];
      if (own !== last) {
        last = own;
        number = numberOf(own);
      }
      if (number !== NONE) {
        values[row] = number;
        continue;
      }
      validity ??= new Uint8Array(Math.ceil(count / 64) * 8).fill(0xff);
      validity[row >> 3] &= ~(1 << (row & 7));
    }
    return { values, validity };
  }
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u53: Float64Array } as const;

function wordsAmong(values: readonly Value[]): string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))].sort();
}

function numbersOf(values: readonly Value[], words: readonly string[] | null): Float64Array {
  const places = words && new Map(words.map((word, place) => [word, place]));
  return Float64Array.from(values, (value) => {
    if (value === null) return NONE;
    return typeof value === 'number' ? value : (places?.get(value) ?? NONE);
  });
}

function numberOf(value: Value, words: readonly string[] | null): number {
  if (value === null) return NONE;
  return typeof value === 'number' ? value : words!.indexOf(value);
}

/** Outcomes have few different values; numbers of objects and addresses have too many to be kept. */
const MOST_KEPT = 4096;

function remembering(make: (raw: number) => number): (raw: number) => number {
  const kept = new Map<number, number>();
  return (raw) => {
    let number = kept.get(raw);
    if (number !== undefined) return number;
    number = make(raw);
    if (kept.size < MOST_KEPT) kept.set(raw, number);
    return number;
  };
}
