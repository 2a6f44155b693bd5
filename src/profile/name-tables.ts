// Stage: replay -> profile. Growable name tables: numbers in order of arrival while building, sorted by content when
// frozen, so that the order in which an engine lists its tallies leaves no mark.

import { NO_INDEX } from '../base/ids.js';
import { TupleIndex } from '../base/tuple-index.js';
import type { RowTypeColumns, SiteColumns } from './profile.js';

/** A frozen table and, for each number given out while building, its number in the table. */
export interface Frozen<Table> {
  readonly table: Table;
  readonly renumber: Uint32Array;
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Arrival numbers in the order that `order` gives them, and the inverse. */
function sortRows(count: number, order: (a: number, b: number) => number): { sorted: number[]; renumber: Uint32Array } {
  const sorted = Array.from({ length: count }, (_, row) => row).sort(order);
  const renumber = new Uint32Array(count);
  sorted.forEach((row, rank) => (renumber[row] = rank));
  return { sorted, renumber };
}

export class StringBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #strings: string[] = [];

  intern(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#strings.length;
      this.#numbers.set(text, number);
      this.#strings.push(text);
    }
    return number;
  }

  text(number: number): string {
    return this.#strings[number];
  }

  freeze(): Frozen<readonly string[]> {
    const { sorted, renumber } = sortRows(this.#strings.length, (a, b) => compare(this.#strings[a], this.#strings[b]));
    return { table: sorted.map((row) => this.#strings[row]), renumber };
  }
}

export class RowTypeBuilder {
  readonly #strings: StringBuilder;
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #families: number[] = [];

  constructor(strings: StringBuilder) {
    this.#strings = strings;
  }

  /** Types of one name are one row; where units disagree on the family, the larger one holds. */
  intern(name: string, family: number): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.length;
      this.#numbers.set(name, number);
      this.#names.push(name);
      this.#families.push(family);
      this.#strings.intern(name);
    } else if (family > this.#families[number]) this.#families[number] = family;
    return number;
  }

  has(name: string): boolean {
    return this.#numbers.has(name);
  }

  name(number: number): string {
    return this.#names[number];
  }

  freeze(strings: Frozen<readonly string[]>): Frozen<RowTypeColumns> {
    const { sorted, renumber } = sortRows(this.#names.length, (a, b) => compare(this.#names[a], this.#names[b]));
    const name = Uint32Array.from(sorted, (row) => strings.renumber[this.#strings.intern(this.#names[row])]);
    return { table: { name, family: Uint8Array.from(sorted, (row) => this.#families[row]) }, renumber };
  }
}

/** What a site says besides its place; `caller` is the number of another. */
export interface SiteFrame {
  readonly flags: number;
  /** NO_INDEX: none. */
  readonly receiver: number;
  readonly caller: number;
}

const NO_FRAME: SiteFrame = { flags: 0, receiver: NO_INDEX, caller: 0 };

/** What a site is, in the order of its tuple's numbers. */
const [FUNCTION, FILE, LINE, COLUMN, FLAGS, RECEIVER, CALLER, NUMBERS] = [0, 1, 2, 3, 4, 5, 6, 7];

export class SiteBuilder {
  readonly #strings: StringBuilder;
  readonly #sites = new TupleIndex(NUMBERS);
  readonly #site = new Float64Array(NUMBERS);

  constructor(strings: StringBuilder) {
    this.#strings = strings;
    this.intern('', '', 0, 0);
  }

  intern(functionName: string, file: string, line: number, column: number, frame: SiteFrame = NO_FRAME): number {
    const site = this.#site;
    site[FUNCTION] = this.#strings.intern(functionName);
    site[FILE] = this.#strings.intern(file);
    site[LINE] = line;
    site[COLUMN] = column;
    site[FLAGS] = frame.flags;
    site[RECEIVER] = frame.receiver;
    site[CALLER] = frame.caller;
    return this.#sites.enter(site);
  }

  freeze(strings: Frozen<readonly string[]>): Frozen<SiteColumns> {
    const text = (number: number): number => (number === NO_INDEX ? NO_INDEX : strings.renumber[number]);
    const functions = this.#sites.column(FUNCTION).map(text);
    const files = this.#sites.column(FILE).map(text);
    const lines = this.#sites.column(LINE);
    const columns = this.#sites.column(COLUMN);
    const flags = this.#sites.column(FLAGS);
    const receivers = this.#sites.column(RECEIVER).map(text);
    const callers = this.#sites.column(CALLER);
    // The unknown site (empty file, line 0, empty function) sorts first: "" is the smallest string.
    const order = (a: number, b: number): number =>
      a === b
        ? 0
        : files[a] - files[b] ||
          lines[a] - lines[b] ||
          columns[a] - columns[b] ||
          functions[a] - functions[b] ||
          flags[a] - flags[b] ||
          receivers[b] - receivers[a] || // none is the largest number
          order(callers[a], callers[b]);
    const { sorted, renumber } = sortRows(this.#sites.count, order);
    const table = {
      function: Uint32Array.from(sorted, (row) => functions[row]),
      file: Uint32Array.from(sorted, (row) => files[row]),
      line: Uint32Array.from(sorted, (row) => lines[row]),
      column: Uint16Array.from(sorted, (row) => columns[row]),
      flags: Uint8Array.from(sorted, (row) => flags[row]),
      receiver: Uint32Array.from(sorted, (row) => receivers[row]),
      caller: Uint32Array.from(sorted, (row) => renumber[callers[row]]),
    };
    return { table, renumber };
  }
}
