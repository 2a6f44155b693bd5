// Stage: what-if. Where the live objects of the program lie anew, and with them every address.

import { COLD_ARRAY, NOWHERE } from './type-layout.js';
import { roundUp } from '../base/round-up.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import type { ObjectLayout, Piece } from './object-layout.js';
import type { ObjectMap } from './object-map.js';
import type { PlacedObjects } from './placed-objects.js';

export interface PlacedPiece {
  /** From the first byte asked for. */
  readonly from: number;
  readonly bytes: number;
  readonly address: number;
  readonly newBytes: number;
  /** Of the pointer to the cold part that it is in; -1: it is in none, or nobody needs it. */
  readonly pointer: number;
}

export class Placement {
  // Of the address asked for last, if `find` found one that moved.
  private object: SimObject | null = null;
  private newBegin = 0;
  private layout: ObjectLayout | null = null;
  private coldBegin = 0;
  /** Of what `place` was asked for last: as in PlacedPiece. */
  pointer = -1;
  /** The one that asks. */
  thread = 0;

  constructor(
    private readonly objects: ObjectMap,
    private readonly placed: PlacedObjects,
  ) {}

  /**
   * Where `bytes` bytes from the address on lie; -1 if they do not stay together. A block that begins in an object and
   * ends beyond it goes with its beginning.
   */
  place(address: number, bytes: number): number {
    this.pointer = -1;
    if (!this.find(address)) return address;
    const offset = address - this.object!.address;
    if (this.layout === null) return this.newBegin + offset;
    const to = this.layout.offsetOf(offset, bytes);
    if (to >= COLD_ARRAY) this.pointer = this.pointerOf(this.layout, offset);
    return to < 0 ? -1 : this.at(to);
  }

  /** The same bytes, in as many pieces as they become. */
  pieces(address: number, bytes: number, isWhole: boolean): PlacedPiece[] {
    const layout = this.find(address) ? this.layout : null;
    if (layout === null || bytes === 0)
      return [{ from: 0, bytes, address: this.place(address, Math.min(1, bytes)), newBytes: bytes, pointer: -1 }];
    const offset = address - this.object!.address;
    const found: readonly Piece[] = layout.pieces(offset, bytes, isWhole);
    return found.map((piece) => ({
      from: piece.from,
      bytes: piece.bytes,
      address: this.at(piece.newOffset),
      newBytes: piece.newBytes,
      pointer: piece.newOffset >= COLD_ARRAY ? this.pointerOf(layout, offset + piece.from) : -1,
    }));
  }

  /** Where the object lies that begins there; its first byte may be another field's. */
  begin(address: number): number {
    return this.find(address) && this.object!.address === address ? this.newBegin : this.place(address, 1);
  }

  /** The size of the object that begins there, if it has another one now. */
  sizeAt(address: number, sizeBytes: number): number {
    const isOfObject = this.find(address) && this.object!.address === address && this.object!.sizeBytes === sizeBytes;
    return isOfObject ? (this.layout?.newSize ?? sizeBytes) : sizeBytes;
  }

  private at(offset: number): number {
    return offset >= COLD_ARRAY ? this.coldBegin + offset - COLD_ARRAY : this.newBegin + offset;
  }

  private pointerOf(layout: ObjectLayout, offset: number): number {
    const to = layout.pointerOf(offset);
    return to === NOWHERE ? -1 : this.newBegin + to;
  }

  private find(address: number): boolean {
    this.object = this.objects.find(address) ?? this.behind(address);
    if (this.object === null) return false;
    const { address: begins, layout, layouts } = this.placed;
    const { number } = this.object;
    this.newBegin = begins[number];
    this.coldBegin = this.placed.cold[number];
    this.layout = layout[number] === 0 ? null : layouts[layout[number] - 1];
    if (this.layout?.layout.isPerThread === true) this.coldBegin += this.thread * this.placed.threadStride;
    return !Number.isNaN(this.newBegin);
  }

  /**
   * The block that has the address among the bytes behind those that were asked for: a program that asks
   * malloc_usable_size uses them. As many as glibc gives.
   */
  private behind(address: number): SimObject | null {
    for (let back = 8; back <= 24 && back <= address; back += 8) {
      const block = this.objects.find(address - back);
      if (block === null) continue;
      const usable = Math.max(24, roundUp(block.sizeBytes + 8, 16) - 8);
      const isOfHeap = block.kind === ObjectKind.heap && !block.isPart && !block.isMapping;
      return isOfHeap && address - block.address < usable ? block : null;
    }
    return null;
  }
}
