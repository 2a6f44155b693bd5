// Stage: profile. Rows by their keys, each a few numbers: which row has these, or is new with them. A hash table of row
// numbers beside the keys, since a string for each row would take longer than all else.

const FEW_ROWS = 64;
const EMPTY = -1;

export class RowIndex {
  count = 0;
  /** Row behind row. */
  #keys: Float64Array;
  #places = new Int32Array(2 * FEW_ROWS).fill(EMPTY);

  constructor(private readonly width: number) {
    this.#keys = new Float64Array(width * FEW_ROWS);
  }

  /** The number of the row with this key: `count` before, if it is new. */
  enter(key: Float64Array): number {
    const mask = this.#places.length - 1;
    let place = hash(key, 0, this.width) & mask;
    for (let row = this.#places[place]; row !== EMPTY; row = this.#places[place]) {
      if (this.#has(row, key)) return row;
      place = (place + 1) & mask;
    }
    const row = this.count++;
    this.#places[place] = row;
    if (this.#keys.length < this.count * this.width) this.#keys = longer(this.#keys, this.count * this.width);
    this.#keys.set(key, row * this.width);
    if (2 * this.count > this.#places.length) this.#grow();
    return row;
  }

  /** A number of each row's key. */
  column(at: number): Float64Array {
    const column = new Float64Array(this.count);
    for (let row = 0, from = at; row < this.count; row++, from += this.width) column[row] = this.#keys[from];
    return column;
  }

  #has(row: number, key: Float64Array): boolean {
    const keys = this.#keys;
    for (let at = 0, from = row * this.width; at < this.width; at++, from++) if (keys[from] !== key[at]) return false;
    return true;
  }

  #grow(): void {
    const places = new Int32Array(2 * this.#places.length).fill(EMPTY);
    const mask = places.length - 1;
    for (let row = 0; row < this.count; row++) {
      let place = hash(this.#keys, row * this.width, this.width) & mask;
      while (places[place] !== EMPTY) place = (place + 1) & mask;
      places[place] = row;
    }
    this.#places = places;
  }
}

/** At least `length` numbers, and at least twice as many as there are. */
export function longer(numbers: Float64Array, length: number): Float64Array {
  const copy = new Float64Array(Math.max(length, 2 * numbers.length));
  copy.set(numbers);
  return copy;
}

function hash(keys: Float64Array, from: number, width: number): number {
  let mixed = 0;
  for (let at = 0; at < width; at++) {
    mixed = Math.imul(mixed ^ keys[from + at], 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed;
}
