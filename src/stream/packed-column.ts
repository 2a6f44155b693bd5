// Stage: stream. Values of one column as flat arrays, which databases, Arrow and kernels take as they are: numbers, or
// places in a dictionary. Rows that have no value: a bit says so, or a place of their own.

import { NO_INDEX } from '../base/ids.js';
import { allValid } from './validity.js';
import type { Packing, ReferenceRows } from './reference-rows.js';
import { STREAM_COLUMNS, type ColumnName, type RowFacts, type StreamColumn, type Value } from './stream-columns.js';

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
export type PackedValues = Numbers | BigUint64Array;
/** u64: only of what rows have as it is. */
type PackedKind = keyof typeof ARRAYS | 'u64';

export interface PackedRows {
  /** Where there is no value: 0. */
  readonly values: PackedValues;
  /** validity.ts; null: all have a value. */
  readonly validity: Uint8Array | null;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u53: Float64Array } as const;
/** Words of slots are many: a place is looked up once for each. */
type Places = ReadonlyMap<string, number> | null;
const ALL_BITS = { shift: 0, mask: NO_INDEX };

export class PackedColumn {
  /** By place in the dictionary; null: numbers. */
  readonly words: readonly string[] | null;
  readonly kind: PackedKind;
  /** How the native engine packs it; null: it does not. */
  readonly packing: Packing | null;
  readonly column: StreamColumn;
  /** Makes the value's number of what a row has; NO_INDEX: there is no value. */
  readonly #numberOf: (raw: number) => number;

  /** `hasNone`: words that there are not have the place behind the last one. */
  constructor(
    readonly name: ColumnName,
    facts: RowFacts,
    { hasNone = false } = {},
  ) {
    const column: StreamColumn = STREAM_COLUMNS[name];
    const { kind, needs, bits } = column;
    this.column = column;
    const valueOf = column.valueOf(facts);
    const values = rawsOf(column, facts)?.map(valueOf) ?? [];
    this.words = kind === 'words' ? wordsOf(column.words ?? values) : null;
    const { words } = this;
    this.kind = words === null ? (kind as PackedKind) : kindFor(words.length + Number(hasNone));
    const places: Places = words && new Map(words.map((word, place) => [word, place]));
    const none = hasNone && words !== null ? words.length : NO_INDEX;
    const spell = (value: Value): number => numberOf(value, places, none);
    this.packing = needs === 'slot' || bits ? this.#packingBy(Uint32Array.from(values, spell), bits ?? ALL_BITS) : null;
    this.#numberOf = this.packing ? byTable(this.packing) : remembering((raw) => spell(valueOf(raw)));
  }

  get #arrays() {
    return ARRAYS[this.kind as keyof typeof ARRAYS];
  }

  #packingBy(table: Uint32Array, { shift, mask }: NonNullable<StreamColumn['bits']>): Packing {
    return {
      ofOutcome: Number(this.column.needs === 'outcome'),
      shift,
      mask,
      table,
      bytes: this.#arrays.BYTES_PER_ELEMENT,
      mayLack: Number(table.includes(NO_INDEX)),
    };
  }

  pack(rows: ReferenceRows): PackedRows {
    const raw = rows[this.column.needs]!;
    if (raw instanceof BigUint64Array) return { values: raw, validity: rows.valueKnown! };
    if (this.column.isRaw) return { values: raw, validity: null };
    const values: Numbers = new this.#arrays(rows.count);
    const numberOf = this.#numberOf;
    let validity: Uint8Array | null = null;
    for (let row = 0; row < values.length; row++) {
      const number = numberOf(raw[row]);
      if (number !== NO_INDEX) {
        values[row] = number;
        continue;
      }
      validity ??= allValid(values.length);
      validity[row >> 3] &= ~(1 << (row & 7));
    }
    return { values, validity };
  }

  /** The values that the native engine packed. */
  packed({ values, validity }: NonNullable<ReferenceRows['packed']>[number]): PackedRows {
    return {
      values: new this.#arrays(values),
      validity: validity === undefined ? null : new Uint8Array(validity),
    };
  }
}

/** All that rows may have for the column; null: too much. */
function rawsOf({ kind, needs, bits, words, ofFunctions }: StreamColumn, { catalog }: RowFacts): number[] | null {
  if (ofFunctions) return Array.from(catalog.functions.name, (_, number) => number);
  if (bits) return Array.from({ length: bits.mask + 1 }, (_, entry) => (entry << bits.shift) >>> 0);
  const areSlots = needs === 'slot' || (kind === 'words' && words === undefined);
  return areSlots ? Array.from({ length: catalog.slots.count }, (_, slot) => slot) : null;
}

/** The values as whole numbers of 64 bits. */
export function widened(values: Float64Array): BigUint64Array {
  const halves = new Uint32Array(2 * values.length);
  for (let row = 0; row < values.length; row++) {
    halves[2 * row] = values[row];
    halves[2 * row + 1] = values[row] / 2 ** 32;
  }
  return new BigUint64Array(halves.buffer);
}

function byTable({ table, shift, mask }: Packing): (raw: number) => number {
  return (raw) => table[((raw >>> shift) & mask) >>> 0];
}

const KEPT = 256;

/** Values that come again and again are made once. */
function remembering(make: (raw: number) => number): (raw: number) => number {
  const keys = new Float64Array(KEPT).fill(NaN);
  const kept = new Float64Array(KEPT);
  return (raw) => {
    const place = (raw ^ (raw >>> 6) ^ (raw >>> 12)) & (KEPT - 1);
    if (keys[place] !== raw) {
      keys[place] = raw;
      kept[place] = make(raw);
    }
    return kept[place];
  };
}

function kindFor(places: number): PackedKind {
  return places <= 0xff ? 'u8' : places <= 0xffff ? 'u16' : 'u32';
}

/** Databases order words by their places. */
function wordsOf(values: readonly Value[]): string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))].sort();
}

function numberOf(value: Value, places: Places, none: number): number {
  if (value === null) return places === null ? NO_INDEX : none;
  return typeof value === 'string' ? places!.get(value)! : Number(value);
}
