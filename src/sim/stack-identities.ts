// Stage: replay. OBJECT slots to numbers of what they are: slots of one variable and size are one stack variable,
// wherever its function was inlined; a slot without a variable stands for one of its own.

import type { SlotTable } from '../trace/catalog.js';

export class StackIdentities {
  /** By slot: 1 + its number; 0: nobody asked yet. */
  private readonly known: Uint32Array;
  private readonly numbers = new Map<string, number>();

  constructor(private readonly slots: SlotTable) {
    this.known = new Uint32Array(slots.count);
  }

  of(slot: number): number {
    const known = this.known[slot];
    return known !== 0 ? known - 1 : this.intern(slot);
  }

  private intern(slot: number): number {
    const variable = this.slots.variable[slot];
    const key = variable === 0 ? `slot ${slot}` : `${variable} ${this.slots.sizeBytes[slot]}`;
    const number = this.numbers.get(key) ?? this.numbers.size;
    this.numbers.set(key, number);
    this.known[slot] = number + 1;
    return number;
  }
}
