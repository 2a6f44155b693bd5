// Stage: profile -> views. A queue of times, the earliest first: a binary heap.

export class EarliestFirst {
  #times = new Float64Array(16);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(time: number): void {
    if (this.#size === this.#times.length) {
      const wider = new Float64Array(2 * this.#size);
      wider.set(this.#times);
      this.#times = wider;
    }
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent] <= time) break;
      this.#times[at] = this.#times[parent];
      at = parent;
    }
    this.#times[at] = time;
  }

  removeUpTo(time: number): void {
    while (this.#size > 0 && this.#times[0] <= time) this.#removeFirst();
  }

  clear(): void {
    this.#size = 0;
  }

  #removeFirst(): void {
    const last = this.#times[--this.#size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#times[child + 1] < this.#times[child]) child++;
      if (this.#times[child] >= last) break;
      this.#times[at] = this.#times[child];
      at = child;
    }
    this.#times[at] = last;
  }
}
