// Stage: trace -> replay. How much a free gives back that does not say so, before it is issued: what was allocated
// there last in recorded time.

import { Allocator } from '../trace/layout.js';

/** Told of allocations and frees in the order of their keys. */
export class AllocatedSizes {
  private readonly blocks = new Map<number, number>();
  private readonly parts = new Map<number, number>();

  allocate(address: number, sizeBytes: number, allocator: number): void {
    this.layerOf(allocator).set(address, sizeBytes);
  }

  /**
   * Bytes that the free concerns, at least the one at its address; `sizeBytes` is what it says itself, 0 if nothing.
   */
  free(address: number, sizeBytes: number, allocator: number): number {
    const layer = this.layerOf(allocator);
    const known = layer.get(address);
    layer.delete(address);
    return sizeBytes || known || 1;
  }

  private layerOf(allocator: number): Map<number, number> {
    return allocator === Allocator.part ? this.parts : this.blocks;
  }
}
