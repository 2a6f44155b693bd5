// Stage: what-if. Where the live objects of the program lie anew, and with them every address.

import type { SimObject } from '../sim/sim-object.js';
import type { ObjectLayout, Piece } from './object-layout.js';
import type { ObjectMap } from './object-map.js';

/** An object that lies elsewhere, or is laid out otherwise. */
export interface PlacedObject {
  readonly address: number;
  /** Null: as before. */
  readonly layout: ObjectLayout | null;
}

export interface PlacedPiece {
  /** From the first byte asked for. */
  readonly from: number;
  readonly bytes: number;
  readonly address: number;
  readonly newBytes: number;
}

export class Placement {
  /** Of the address asked for last; null: none that moved. */
  private object: SimObject | null = null;
  private placed: PlacedObject | null = null;

  constructor(
    private readonly objects: ObjectMap,
    /** By object number; undefined: it stays. */
    private readonly placedOf: (object: SimObject) => PlacedObject | undefined,
  ) {}

  /**
   * Where `bytes` bytes from the address on lie; -1 if they do not stay together. A block that begins in an object and
   * ends beyond it goes with its beginning.
   */
  place(address: number, bytes: number): number {
    if (!this.find(address)) return address;
    const offset = address - this.object!.address;
    const { address: begin, layout } = this.placed!;
    if (layout === null) return begin + offset;
    const to = layout.offsetOf(offset, bytes);
    return to < 0 ? -1 : begin + to;
  }

  /** The same bytes, in as many pieces as they become. */
  pieces(address: number, bytes: number, isWhole: boolean): PlacedPiece[] {
    const layout = this.find(address) ? this.placed!.layout : null;
    if (layout === null || bytes === 0)
      return [{ from: 0, bytes, address: this.place(address, Math.min(1, bytes)), newBytes: bytes }];
    const found: readonly Piece[] = layout.pieces(address - this.object!.address, bytes, isWhole);
    return found.map((piece) => ({
      from: piece.from,
      bytes: piece.bytes,
      address: this.placed!.address + piece.newOffset,
      newBytes: piece.newBytes,
    }));
  }

  /** Where the object lies that begins there; its first byte may be another field's. */
  begin(address: number): number {
    return this.find(address) && this.object!.address === address ? this.placed!.address : this.place(address, 1);
  }

  /** The size of the object that begins there, if it has another one now. */
  sizeAt(address: number, sizeBytes: number): number {
    const isOfObject = this.find(address) && this.object!.address === address && this.object!.sizeBytes === sizeBytes;
    return isOfObject ? (this.placed!.layout?.newSize ?? sizeBytes) : sizeBytes;
  }

  private find(address: number): boolean {
    this.object = this.objects.find(address);
    this.placed = this.object && (this.placedOf(this.object) ?? null);
    return this.placed !== null;
  }
}
