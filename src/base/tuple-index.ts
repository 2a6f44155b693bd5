// Stage: all. Tuples of numbers, each once: which number a tuple has, in order of arrival. A hash table of these
// numbers beside the tuples, since a string for each tuple would take longer than all else.

const FEW = 64;
const EMPTY = -1;

export class TupleIndex {
  count = 0;
  /** One behind the other. */
  #tuples: Float64Array;
  #places = new Int32Array(2 * FEW).fill(EMPTY);

  constructor(private readonly width: number) {
    this.#tuples = new Float64Array(width * FEW);
  }

  /** The tuple's number; what `count` was before, if it is new. */
  enter(tuple: ArrayLike<number>): number {
    const mask = this.#places.length - 1;
    let place = hash(tuple, 0, this.width) & mask;
    for (let number = this.#places[place]; number !== EMPTY; number = this.#places[place]) {
      if (this.#is(number, tuple)) return number;
      place = (place + 1) & mask;
    }
    const number = this.count++;
    this.#places[place] = number;
    if (this.#tuples.length < this.count * this.width) this.#tuples = longer(this.#tuples, this.count * this.width);
    for (let at = 0, to = number * this.width; at < this.width; at++, to++) this.#tuples[to] = tuple[at];
    if (2 * this.count > this.#places.length) this.#grow();
    return number;
  }

  /** One of each tuple's numbers. */
  column(at: number): Float64Array {
    const column = new Float64Array(this.count);
    for (let number = 0, from = at; number < this.count; number++, from += this.width)
      column[number] = this.#tuples[from];
    return column;
  }

  #is(number: number, tuple: ArrayLike<number>): boolean {
    const tuples = this.#tuples;
    for (let at = 0, from = number * this.width; at < this.width; at++, from++)
      if (tuples[from] !== tuple[at]) return false;
    return true;
  }

  #grow(): void {
    const places = new Int32Array(2 * this.#places.length).fill(EMPTY);
    const mask = places.length - 1;
    for (let number = 0; number < this.count; number++) {
      let place = hash(this.#tuples, number * this.width, this.width) & mask;
      while (places[place] !== EMPTY) place = (place + 1) & mask;
      places[place] = number;
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

function hash(tuples: ArrayLike<number>, from: number, width: number): number {
  let mixed = 0;
  for (let at = 0; at < width; at++) {
    mixed = Math.imul(mixed ^ tuples[from + at], 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed;
}
