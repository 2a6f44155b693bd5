// Stage: profile -> views. A queue of times, the earliest first, each with a weight: a binary heap.

export class EarliestFirst {
  #times = new Float64Array(16);
  #weights = new Float64Array(16);
  #weight = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The sum of all weights. */
  get weight(): number {
    return this.#weight;
  }

  add(time: number, weight: number): void {
    if (this.#size === this.#times.length) {
      this.#times = widened(this.#times);
      this.#weights = widened(this.#weights);
    }
    this.#weight += weight;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent] <= time) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#times[at] = time;
    this.#weights[at] = weight;
  }

  removeUpTo(time: number): void {
    while (this.#size > 0 && this.#times[0] <= time) this.#removeFirst();
  }

  clear(): void {
    this.#size = this.#weight = 0;
  }

  #removeFirst(): void {
    this.#weight -= this.#weights[0];
    const last = this.#times[--this.#size];
    const weight = this.#weights[this.#size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#times[child + 1] < this.#times[child]) child++;
      if (this.#times[child] >= last) break;
      this.#move(child, at);
      at = child;
    }
    this.#times[at] = last;
    this.#weights[at] = weight;
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from];
    this.#weights[to] = this.#weights[from];
  }
}

function widened(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(2 * column.length);
  wider.set(column);
  return wider;
}
