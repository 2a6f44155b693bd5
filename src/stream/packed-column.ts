// Stage: stream. Values of one column as flat arrays, which databases, Arrow and kernels take as they are: numbers, or
// places in a dictionary. Rows that have no value: a bit says so, or a place of their own.

import { NO_INDEX } from '../base/ids.js';
import type { Packing, ReferenceRows } from './reference-rows.js';
import { rawOf } from './row-values.js';
import { STREAM_COLUMNS, type ColumnName, type RowFacts, type StreamColumn, type Value } from './stream-columns.js';

export type PackedValues = Uint8Array | Uint16Array | Uint32Array | Float64Array;
type PackedKind = 'u8' | 'u16' | 'u32' | 'u53';

export interface PackedRows {
  /** Where there is no value: 0. */
  readonly values: PackedValues;
  /** Bit row % 8 of byte row / 8: there is a value; whole words of 64 bits. null: everywhere. */
  readonly validity: Uint8Array | null;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u53: Float64Array } as const;
/** Words of slots are many: a place is looked up once for each. */
type Places = ReadonlyMap<string, number> | null;

export class PackedColumn {
  /** By place in the dictionary; null: numbers. */
  readonly words: readonly string[] | null;
  readonly kind: PackedKind;
  /** How the native engine packs it; null: it does not. */
  readonly packing: Packing | null;
  readonly column: StreamColumn;
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
    const { count } = facts.catalog.slots;
    this.words =
      kind === 'words' ? wordsOf(column, () => Array.from({ length: count }, (_, slot) => valueOf(slot))) : null;
    const { words } = this;
    this.kind = words === null ? (kind as PackedKind) : kindFor(words.length + Number(hasNone));
    const places: Places = words && new Map(words.map((word, place) => [word, place]));
    const none = hasNone && words !== null ? words.length : NO_INDEX;
    this.#numberOf = (raw) => numberOf(valueOf(raw), places, none);
    const entries = needs === 'slot' ? count : bits && bits.mask + 1;
    this.packing = entries === undefined ? null : this.#tableOf(entries, bits ?? { shift: 0, mask: NO_INDEX });
  }

  #tableOf(entries: number, { shift, mask }: NonNullable<StreamColumn['bits']>): Packing {
    const table = Uint32Array.from({ length: entries }, (_, entry) => this.#numberOf((entry << shift) >>> 0));
    return {
      ofOutcome: Number(this.column.needs === 'outcome'),
      shift,
      mask,
      table,
      bytes: ARRAYS[this.kind].BYTES_PER_ELEMENT,
      mayLack: Number(table.includes(NO_INDEX)),
    };
  }

  pack(rows: ReferenceRows): PackedRows {
    const raw = rawOf(rows, this.column.needs);
    if (this.column.isRaw) return { values: raw, validity: null };
    const values = new ARRAYS[this.kind](rows.count);
    const numberOf = this.packing ? byTable(this.packing) : remembering(this.#numberOf);
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

  /** What the native engine packed. */
  packed({ values, validity }: NonNullable<ReferenceRows['packed']>[number]): PackedRows {
    return {
      values: new ARRAYS[this.kind](values),
      validity: validity === undefined ? null : new Uint8Array(validity),
    };
  }
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

function allValid(count: number): Uint8Array {
  const validity = new Uint8Array(Math.ceil(count / 64) * 8);
  for (let row = 0; row < count; row++) validity[row >> 3] |= 1 << (row & 7);
  return validity;
}

function kindFor(places: number): PackedKind {
  return places <= 0xff ? 'u8' : places <= 0xffff ? 'u16' : 'u32';
}

/** Databases order words by their places. */
function wordsOf({ words }: StreamColumn, ofSlots: () => readonly Value[]): string[] {
  return [...new Set(words ?? ofSlots().filter((value) => typeof value === 'string'))].sort();
}

function numberOf(value: Value, places: Places, none: number): number {
  if (value === null) return places === null ? NO_INDEX : none;
  return typeof value === 'number' ? value : places!.get(value)!;
}
