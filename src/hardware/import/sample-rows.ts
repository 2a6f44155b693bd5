// Stage: hardware. Samples as they come, until they are in order: columns that grow, and a key to sort by.

import { COLUMNS, COLUMN_NAMES, makeColumns, type ColumnName, type SampleColumns } from '../samples/samples.js';

const FIRST_ROWS = 1 << 12;

type WordName = { [Name in ColumnName]: (typeof COLUMNS)[Name] extends 'u64' ? Name : never }[ColumnName];
/** The 64-bit columns as pairs of halves, low one first. */
export type Words = Readonly<Record<WordName, Uint32Array>>;

export class SampleRows {
  columns: SampleColumns = makeColumns(FIRST_ROWS);
  words: Words = wordsOf(this.columns);
  /** Time since that of the first sample; exact below 2^53 ns, three months. */
  order: Float64Array = new Float64Array(FIRST_ROWS);
  count = 0;
  /** No row is earlier than the one before it. */
  isOrdered = true;
  latest = -Infinity;
  private baseLow = 0;
  private baseHigh = 0;
  private hasBase = false;
  private capacity = FIRST_ROWS;

  /** The row to fill in, all zeros. `addTime` comes next. */
  begin(): number {
    if (this.count === this.capacity) this.grow();
    return this.count;
  }

  /** The row is whole. */
  end(): void {
    const row = this.count++;
    const low = this.words.time[2 * row];
    const high = this.words.time[2 * row + 1];
    if (!this.hasBase) {
      this.hasBase = true;
      this.baseLow = low;
      this.baseHigh = high;
    }
    const key = (this.order[row] = this.keyOf(low, high));
    if (key < this.latest) this.isOrdered = false;
    else this.latest = key;
  }

  keyOf(low: number, high: number): number {
    return low - this.baseLow + (high - this.baseHigh) * 0x1_0000_0000;
  }

  /** Those rows alone stay, in that order. */
  keep(rows: Uint32Array): void {
    const { columns, order } = this;
    this.capacity = Math.max(FIRST_ROWS, 2 ** Math.ceil(Math.log2(rows.length + 1)));
    this.columns = gather(columns, rows, this.capacity);
    this.words = wordsOf(this.columns);
    this.order = new Float64Array(this.capacity);
    for (let at = 0; at < rows.length; at++) this.order[at] = order[rows[at]];
    this.count = rows.length;
    this.isOrdered = true;
    this.latest = rows.length === 0 ? -Infinity : this.order[rows.length - 1];
    for (let at = 1; at < rows.length; at++) {
      if (this.order[at] < this.order[at - 1]) this.isOrdered = false;
      this.latest = Math.max(this.latest, this.order[at - 1]);
    }
  }

  private grow(): void {
    this.capacity *= 2;
    const columns = makeColumns(this.capacity);
    for (const name of COLUMN_NAMES) (columns[name] as Uint32Array).set(this.columns[name] as Uint32Array);
    const order = new Float64Array(this.capacity);
    order.set(this.order);
    this.columns = columns;
    this.words = wordsOf(columns);
    this.order = order;
  }
}

function wordsOf(columns: SampleColumns): Words {
  const halves = ({ buffer, byteOffset, length }: BigUint64Array): Uint32Array =>
    new Uint32Array(buffer, byteOffset, 2 * length);
  return {
    time: halves(columns.time),
    ip: halves(columns.ip),
    address: halves(columns.address),
    physicalAddress: halves(columns.physicalAddress),
    period: halves(columns.period),
    weight: halves(columns.weight),
    dataSource: halves(columns.dataSource),
    dataPageSize: halves(columns.dataPageSize),
    offset: halves(columns.offset),
  };
}

export function gather(columns: SampleColumns, rows: Uint32Array, capacity = rows.length): SampleColumns {
  const picked = makeColumns(capacity);
  const from = wordsOf(columns);
  const to = wordsOf(picked);
  for (const name of COLUMN_NAMES) {
    if (COLUMNS[name] === 'u64') gatherPairs(from[name as WordName], to[name as WordName], rows);
    else gatherNumbers(columns[name] as Uint32Array, picked[name] as Uint32Array, rows);
  }
  return picked;
}

function gatherPairs(from: Uint32Array, to: Uint32Array, rows: Uint32Array): void {
  for (let at = 0; at < rows.length; at++) {
    to[2 * at] = from[2 * rows[at]];
    to[2 * at + 1] = from[2 * rows[at] + 1];
  }
}

function gatherNumbers(from: Uint32Array, to: Uint32Array, rows: Uint32Array): void {
  for (let at = 0; at < rows.length; at++) to[at] = from[rows[at]];
}
