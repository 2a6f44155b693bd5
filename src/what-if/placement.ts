// Stage: what-if. Where the live objects of the program lie anew, and with them every address.

import type { SimObject } from '../sim/sim-object.js';
import type { ObjectLayout, Piece } from './object-layout.js';
import type { ObjectMap } from './object-map.js';
import type { PlacedObjects } from './placed-objects.js';

export interface PlacedPiece {
  /** From the first byte asked for. */
  readonly from: number;
  readonly bytes: number;
  readonly address: number;
  readonly newBytes: number;
}

export class Placement {
  // Of the address asked for last, if `find` found one that moved.
  private object: SimObject | null = null;
  private newBegin = 0;
  private layout: ObjectLayout | null = null;

  constructor(
    private readonly objects: ObjectMap,
    private readonly placed: PlacedObjects,
  ) {}

  /**
   * Where `bytes` bytes from the address on lie; -1 if they do not stay together. A block that begins in an object and
   * ends beyond it goes with its beginning.
   */
  place(address: number, bytes: number): number {
    if (!this.find(address)) return address;
    const offset = address - this.object!.address;
    if (this.layout === null) return this.newBegin + offset;
    const to = this.layout.offsetOf(offset, bytes);
    return to < 0 ? -1 : this.newBegin + to;
  }

  /** The same bytes, in as many pieces as they become. */
  pieces(address: number, bytes: number, isWhole: boolean): PlacedPiece[] {
    const layout = this.find(address) ? this.layout : null;
    if (layout === null || bytes === 0)
      return [{ from: 0, bytes, address: this.place(address, Math.min(1, bytes)), newBytes: bytes }];
    const found: readonly Piece[] = layout.pieces(address - this.object!.address, bytes, isWhole);
    return found.map((piece) => ({
      from: piece.from,
      bytes: piece.bytes,
      address: this.newBegin + piece.newOffset,
      newBytes: piece.newBytes,
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

  private find(address: number): boolean {
    this.object = this.objects.find(address);
    if (this.object === null) return false;
    const { address: begins, layout, layouts } = this.placed;
    const { number } = this.object;
    this.newBegin = begins[number];
    this.layout = layout[number] === 0 ? null : layouts[layout[number] - 1];
    return !Number.isNaN(this.newBegin);
  }
}
