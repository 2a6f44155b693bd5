// Stage: replay. The prefetchers of one level: a reference that looked the level up to the lines that they ask for.

import type { Prefetcher } from '../contract/machine.js';

interface Stride {
  address: number;
  stride: number;
  /** 0 to 3; from 2 on the stride is trusted. */
  confidence: number;
}

const TRUSTED = 2;
const MOST_TRUSTED = 3;

export class Prefetchers {
  /** By L1 unit, then by slot. */
  private readonly strides = new Map<number, Map<number, Stride>>();

  constructor(
    private readonly kinds: readonly Prefetcher[],
    private readonly lineBytes: number,
  ) {}

  /**
   * The lines that a reference of the slot asks for, in the order of the prefetchers: `next-line` and `adjacent-line`
   * at a miss of their level, `stride` at every reference that looks it up.
   */
  wanted(l1Unit: number, slot: number, address: number, isMiss: boolean): number[] {
    const line = Math.floor(address / this.lineBytes);
    const lines: number[] = [];
    for (const kind of this.kinds) {
      if (kind === 'stride') {
        const next = Math.floor((address + this.train(l1Unit, slot, address)) / this.lineBytes);
        if (next !== line) lines.push(next);
      } else if (isMiss) lines.push(kind === 'next-line' || line % 2 === 0 ? line + 1 : line - 1);
    }
    return lines;
  }

  /** The stride that can be trusted now, else 0. The first reference of a slot only sets the address. */
  private train(l1Unit: number, slot: number, address: number): number {
    const known = this.strides.get(l1Unit)?.get(slot);
    if (known === undefined) {
      const strides = this.strides.get(l1Unit) ?? new Map<number, Stride>();
      this.strides.set(l1Unit, strides.set(slot, { address, stride: 0, confidence: 0 }));
      return 0;
    }
    const stride = address - known.address;
    known.address = address;
    if (stride === known.stride) {
      known.confidence = Math.min(known.confidence + 1, MOST_TRUSTED);
      return known.confidence >= TRUSTED ? stride : 0;
    }
    if (known.confidence <= 1) {
      known.stride = stride;
      known.confidence = 1;
    } else known.confidence--;
    return 0;
  }
}
