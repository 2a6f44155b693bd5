// Stage: what-if. An object of a type that is laid out anew: an array of such elements, perhaps with bytes before the
// first one (an array's cookie) and behind the last one, which stay as they are.

import { NO_INDEX } from '../base/ids.js';
import { NOWHERE, type TypeLayout } from './type-layout.js';

/** Bytes of an object that lie one behind the other, before and anew. */
export interface Piece {
  /** From the first byte asked for. */
  readonly from: number;
  readonly bytes: number;
  readonly newOffset: number;
  /** More or fewer than `bytes` where whole elements are meant. */
  readonly newBytes: number;
}

export class ObjectLayout {
  readonly newSize: number;
  private readonly elements: number;
  /** Behind the last element. */
  private readonly end: number;
  private readonly newEnd: number;

  /** `head`: bytes before the first element. Null if not even one element fits. */
  static of(layout: TypeLayout, sizeBytes: number, head: number): ObjectLayout | null {
    const least = layout.flexibleFrom === NO_INDEX ? layout.oldBytes : Math.min(layout.flexibleFrom, layout.oldBytes);
    return sizeBytes - head < least ? null : new ObjectLayout(layout, sizeBytes, head);
  }

  private constructor(
    readonly layout: TypeLayout,
    sizeBytes: number,
    private readonly head: number,
  ) {
    const { oldBytes, newBytes, flexibleFrom, newFlexibleFrom } = layout;
    if (flexibleFrom === NO_INDEX) {
      this.elements = Math.floor((sizeBytes - head) / oldBytes);
      this.end = head + this.elements * oldBytes;
      this.newEnd = head + this.elements * newBytes;
    } else {
      this.elements = 1;
      this.end = head + flexibleFrom;
      this.newEnd = head + newFlexibleFrom;
    }
    this.newSize = this.newEnd + (sizeBytes - this.end);
  }

  /** Where the bytes [offset, offset + bytes) of the object lie; NOWHERE if they do not stay together. */
  offsetOf(offset: number, bytes: number): number {
    if (offset >= this.end) return this.newEnd + offset - this.end;
    if (offset < this.head) return offset + bytes <= this.head ? offset : NOWHERE;
    const { oldBytes, newBytes, at, until } = this.layout;
    const element = Math.floor((offset - this.head) / oldBytes);
    const byte = offset - this.head - element * oldBytes;
    if (byte + bytes > until[byte] || at[byte] === NOWHERE) return NOWHERE;
    return this.head + element * newBytes + at[byte];
  }

  /**
   * The bytes [offset, offset + bytes) in their order, without padding. `isWhole`: whole elements are one piece, with
   * their padding.
   */
  pieces(offset: number, bytes: number, isWhole: boolean): Piece[] {
    const found: Piece[] = [];
    const { oldBytes, newBytes, at, until } = this.layout;
    const end = offset + bytes;
    for (let from = offset; from < end; ) {
      if (from < this.head || from >= this.end) {
        const to = from < this.head ? Math.min(end, this.head) : end;
        found.push({
          from: from - offset,
          bytes: to - from,
          newOffset: this.offsetOf(from, to - from),
          newBytes: to - from,
        });
        from = to;
        continue;
      }
      const element = Math.floor((from - this.head) / oldBytes);
      const byte = from - this.head - element * oldBytes;
      const whole = isWhole && byte === 0 ? Math.floor((Math.min(end, this.end) - from) / oldBytes) : 0;
      if (whole > 0) {
        found.push({
          from: from - offset,
          bytes: whole * oldBytes,
          newOffset: this.head + element * newBytes,
          newBytes: whole * newBytes,
        });
        from += whole * oldBytes;
        continue;
      }
      const length = Math.min(until[byte] - byte, end - from);
      if (at[byte] !== NOWHERE)
        found.push({
          from: from - offset,
          bytes: length,
          newOffset: this.head + element * newBytes + at[byte],
          newBytes: length,
        });
      from += length;
    }
    return found;
  }
}
