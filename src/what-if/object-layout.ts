// Stage: what-if. An object of a type that is laid out anew: an array of such elements, perhaps with bytes before the
// first one (an array's cookie) and behind the last one, which stay as they are.

import { NO_INDEX } from '../base/ids.js';
import { COLD, COLD_ARRAY, NOWHERE, type TypeLayout } from './type-layout.js';

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
  /** Of the cold parts of all elements; 0: none. */
  readonly coldSize: number;
  /** The same of those that each thread has. */
  readonly perThreadSize: number;
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
    // A flexible array is allocated as sizeof (its struct) and its own bytes, if the block is that large.
    const isSizeOf = flexibleFrom !== NO_INDEX && sizeBytes - head >= oldBytes;
    this.coldSize = layout.isPerThread ? 0 : this.elements * layout.coldBytes;
    this.perThreadSize = layout.isPerThread ? this.elements * layout.coldBytes : 0;
    this.newSize = isSizeOf ? sizeBytes + newBytes - oldBytes : this.newEnd + (sizeBytes - this.end);
  }

  /** Bytes before the first element and up to the end of the last one, before and anew; the size anew. */
  get bounds(): { head: number; end: number; newEnd: number; newSize: number } {
    const { head, end, newEnd, newSize } = this;
    return { head, end, newEnd, newSize };
  }

  /** Where the bytes [offset, offset + bytes) lie, in the cold parts from COLD_ARRAY on; NOWHERE: not together. */
  offsetOf(offset: number, bytes: number): number {
    if (offset >= this.end) return this.newEnd + offset - this.end;
    if (offset < this.head) return offset + bytes <= this.head ? offset : NOWHERE;
    const { oldBytes, at, until } = this.layout;
    const element = Math.floor((offset - this.head) / oldBytes);
    const byte = offset - this.head - element * oldBytes;
    if (byte + bytes > until[byte] || at[byte] === NOWHERE) return NOWHERE;
    return this.inElement(element, at[byte]);
  }

  /** The offset of the pointer to the element's cold part; NOWHERE: there is none. */
  pointerOf(offset: number): number {
    const { oldBytes, newBytes, pointerAt } = this.layout;
    if (pointerAt === NOWHERE) return NOWHERE;
    return this.head + Math.floor((offset - this.head) / oldBytes) * newBytes + pointerAt;
  }

  private inElement(element: number, at: number): number {
    const { newBytes, coldBytes } = this.layout;
    return at >= COLD ? COLD_ARRAY + element * coldBytes + at - COLD : this.head + element * newBytes + at;
  }

  /**
   * The bytes [offset, offset + bytes) in their order, without padding. `isWhole`: what is wholly in them is meant with
   * its padding: elements, and members that are laid out anew.
   */
  pieces(offset: number, bytes: number, isWhole: boolean): Piece[] {
    const found: Piece[] = [];
    const end = offset + bytes;
    for (let from = offset; from < end; ) {
      const piece = this.pieceAt(from, end, isWhole);
      if (piece.newOffset !== NOWHERE) add(found, { ...piece, from: from - offset });
      from += piece.bytes;
    }
    return found;
  }

  /** NOWHERE: padding. */
  private pieceAt(from: number, end: number, isWhole: boolean): Omit<Piece, 'from'> {
    if (from < this.head || from >= this.end) {
      const bytes = (from < this.head ? Math.min(end, this.head) : end) - from;
      return { bytes, newOffset: this.offsetOf(from, bytes), newBytes: bytes };
    }
    const { oldBytes, newBytes, coldBytes, at, until, parts } = this.layout;
    const element = Math.floor((from - this.head) / oldBytes);
    const byte = from - this.head - element * oldBytes;
    const left = Math.min(end, this.end) - from;
    const isElement = isWhole && coldBytes === 0 && byte === 0 && left >= oldBytes;
    if (isElement) return { bytes: oldBytes, newOffset: this.inElement(element, 0), newBytes };
    const part = isWhole ? parts.get(byte)?.find((one) => one.bytes <= left) : undefined;
    if (part) return { bytes: part.bytes, newOffset: this.inElement(element, part.at), newBytes: part.newBytes };
    const length = Math.min(until[byte] - byte, left);
    const newOffset = at[byte] === NOWHERE ? NOWHERE : this.inElement(element, at[byte]);
    return { bytes: length, newOffset, newBytes: length };
  }
}

/** What lies behind the piece before, both times, is one with it. */
function add(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last?.from !== piece.from - (last?.bytes ?? 0) || last.newOffset + last.newBytes !== piece.newOffset)
    pieces.push(piece);
  else
    pieces[pieces.length - 1] = {
      ...last,
      bytes: last.bytes + piece.bytes,
      newBytes: last.newBytes + piece.newBytes,
    };
}
