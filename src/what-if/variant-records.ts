// Stage: what-if. Records whose accesses have other sizes, or become several, and such as excerpts need: each is made
// once, behind the catalog's own.

import type { Catalog, SlotTable } from '../contract/catalog.js';
import { OFFSET_UNKNOWN, RecordFlag, RecordTag, SlotKind } from '../trace/layout.js';
import { slotWords } from '../trace/unit-rules.js';
import type { FrameMove } from './excerpt-frames.js';
import { fieldAt } from './field-at.js';

/** Instead of bytes: the slot loads the pointer to the cold part of its type. */
export const POINTER = 0xffffffff;
export const POINTER_BYTES = 8;
/** A record's slots are counted in 16 bits; all of them are rows of the catalog. */
const MOST_OF_RECORD = 0xffff;
const MOST_OF_RECORDS = 1 << 20;

/** A record of very many accesses is several, one behind the other. */
export const RecordPart = { whole: 0, first: 1, middle: 2, last: 3 } as const;

/** A slot of the catalog, with another size and that many bytes further on. */
export interface SlotVariant {
  readonly slot: number;
  readonly sizeBytes: number;
  readonly further: number;
}

/** A record of the catalog with these slots, which are of the catalog or variants. */
export interface RecordVariant {
  readonly record: number;
  readonly slots: ArrayLike<number>;
  /** Of RecordPart. */
  readonly part: number;
  /** It does nothing but this. */
  readonly move?: FrameMove;
}

/** Slots and records behind the catalog's own. */
export interface Variants {
  readonly slots: readonly SlotVariant[];
  readonly records: readonly RecordVariant[];
}

export class VariantRecords {
  private readonly slots: SlotVariant[] = [];
  private readonly slotByKey = new Map<string, number>();
  private readonly records: RecordVariant[] = [];
  private readonly recordByKey = new Map<string, number>();
  private recordSlots = 0;

  constructor(private readonly catalog: Catalog) {}

  /** The slot, but of this size; `further`: where in the slot's bytes it begins. */
  slot(slot: number, sizeBytes: number, further: number): number {
    if (further === 0 && this.catalog.slots.sizeBytes[slot] === sizeBytes) return slot;
    const key = `${slot} ${sizeBytes} ${further}`;
    let number = this.slotByKey.get(key);
    if (number === undefined) {
      number = this.catalog.slots.count + this.slots.push({ slot, sizeBytes, further }) - 1;
      this.slotByKey.set(key, number);
    }
    return number;
  }

  /** The record, or a part of it, but with these slots; null: there are too many. */
  record(record: number, slots: readonly number[], part: number = RecordPart.whole): number | null {
    if (slots.length > MOST_OF_RECORD) return null;
    const key = `${record} ${part} ${slots.join(' ')}`;
    if (!this.recordByKey.has(key)) {
      if (this.recordSlots + slots.length > MOST_OF_RECORDS) return null;
      this.recordSlots += slots.length;
    }
    return this.numberOf(key, { record, slots: [...slots], part });
  }

  /** A record that does nothing but this. */
  move(move: FrameMove): number {
    const { functionId, flags, call } = move;
    return this.numberOf(`${functionId} ${flags} ${call} moves`, {
      record: 0,
      slots: [],
      part: RecordPart.whole,
      move,
    });
  }

  private numberOf(key: string, variant: RecordVariant): number {
    const known = this.recordByKey.get(key);
    if (known !== undefined) return known;
    const number = this.catalog.records.count + this.records.push(variant) - 1;
    this.recordByKey.set(key, number);
    return number;
  }

  get made(): Variants {
    return { slots: this.slots, records: this.records };
  }
}

/** The catalog with all variants. The slots of a record stand one behind the other, so each variant has its own. */
export function withVariants(catalog: Catalog, variants: Variants): Catalog {
  const { slots, records } = catalog;
  const variantOf = (number: number): SlotVariant =>
    number < slots.count
      ? { slot: number, sizeBytes: slots.sizeBytes[number], further: 0 }
      : variants.slots[number - slots.count];
  const added = variants.records.flatMap((variant) => Array.from(variant.slots, variantOf));
  const from = added.map(({ slot }) => slot);
  let first = slots.count;
  const places = variants.records.map((variant) => {
    const at = first;
    first += variant.slots.length;
    return at;
  });
  const paths = [...slots.path, ...from.map((row) => slots.path[row])];
  const madeSlots: SlotTable = { ...withRows(slots, from), path: paths };
  added.forEach(({ sizeBytes, further }, index) => {
    const row = slots.count + index;
    madeSlots.sizeBytes[row] = sizeBytes;
    if (further === POINTER) {
      madeSlots.kind[row] = SlotKind.load;
      madeSlots.lanes[row] = 1;
      madeSlots.offset[row] = OFFSET_UNKNOWN;
      paths[row] = '(cold)';
      return;
    }
    if (further === 0 || madeSlots.offset[row] === OFFSET_UNKNOWN) return;
    madeSlots.offset[row] += further;
    paths[row] = fieldAt(catalog.leaves, madeSlots.type[row], madeSlots.offset[row]) ?? paths[row];
  });
  const madeRecords = withRows(
    records,
    variants.records.map(({ record }) => record),
  );
  variants.records.forEach((variant, index) => {
    const row = records.count + index;
    madeRecords.firstSlot[row] = places[index];
    madeRecords.slotCount[row] = variant.slots.length;
    const { part } = variant;
    if (part === RecordPart.middle || part === RecordPart.last) madeRecords.flags[row] &= ~RecordFlag.entry;
    if (part === RecordPart.first || part === RecordPart.middle) {
      madeRecords.flags[row] &= RecordFlag.entry | RecordFlag.frame;
      madeRecords.instructions[row] = 0;
      madeRecords.call[row] = 0;
    }
    if (variant.move !== undefined) {
      madeRecords.tag[row] = RecordTag.segment;
      madeRecords.instructions[row] = 0;
      madeRecords.function[row] = variant.move.functionId;
      madeRecords.flags[row] = variant.move.flags;
      madeRecords.call[row] = variant.move.call;
    }
    const words = (of: SlotTable, begin: number, count: number): number => {
      let sum = 0;
      for (let slot = begin; slot < begin + count; slot++)
        sum += slotWords({ kind: of.kind[slot], sizeBytes: of.sizeBytes[slot], lanes: of.lanes[slot] });
      return sum;
    };
    madeRecords.words[row] = words(madeSlots, places[index], variant.slots.length);
  });
  return { ...catalog, slots: madeSlots, records: madeRecords };
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

function longer(column: Column, from: readonly number[]): Column {
  const made = new (column.constructor as new (length: number) => Column)(column.length + from.length);
  made.set(column);
  for (const [index, row] of from.entries()) made[column.length + index] = column[row];
  return made;
}

/** The table with copies of these rows behind its own. */
function withRows<Table extends { readonly count: number }>(table: Table, from: readonly number[]): Table {
  const columns = Object.entries(table).map(([name, column]: [string, number | string[] | Column]) => {
    if (typeof column === 'number') return [name, table.count + from.length] as const;
    if (Array.isArray(column)) return [name, [...column, ...from.map((row) => column[row])]] as const;
    return [name, longer(column, from)] as const;
  });
  return Object.assign({ ...table }, Object.fromEntries(columns));
}
