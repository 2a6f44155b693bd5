// Stage: what-if. The type of heap blocks whose allocation does not say it: what all accesses to a block say, if they
// say one struct, and elements of it from the block's begin on.

import { NO_RANGE, RangeMap } from '../base/range-map.js';
import type { Catalog } from '../contract/catalog.js';
import type { Objects } from '../sim/objects.js';
import type { AccessSink } from '../sim/references.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { isRecord } from './layout-change.js';

/** Accesses say several types, or another place for the elements. */
export const MIXED = -1;

export class ObjectTypes implements AccessSink {
  /** By object number: a TypeId, or MIXED. Objects that no access says anything of have none. */
  readonly said: number[] = [];
  private readonly isRecordSlot: Uint8Array;
  /** Live blocks whose allocation said no type so far. */
  private readonly untyped = new RangeMap();

  constructor(
    private readonly catalog: Catalog,
    private readonly objects: Objects,
  ) {
    const { slots } = catalog;
    this.isRecordSlot = Uint8Array.from(slots.type, (type) => (isRecord(catalog, type) ? 1 : 0));
  }

  begin({ address, sizeBytes, number }: SimObject): void {
    this.untyped.put(address, address + sizeBytes, number);
  }

  /** The block ended, or its type is known. */
  forget({ address, sizeBytes }: SimObject): void {
    this.untyped.clear(address, address + sizeBytes);
  }

  access(_kind: number, address: number, _sizeBytes: number, slot: number): void {
    if (this.isRecordSlot[slot] === 0 || this.untyped.find(address) === NO_RANGE) return;
    const object = this.objects.find(address);
    if (object === null || object.kind !== ObjectKind.heap || object.declared !== 0) return;
    const { type: types, offset: offsets, path } = this.catalog.slots;
    // Of an array's element the offset is that of the first one.
    const [type, offset] = [types[slot], path[slot].includes('[]') ? OFFSET_UNKNOWN : offsets[slot]];
    const before = this.said[object.number];
    if (before === MIXED) return;
    if (before !== undefined && before !== type) this.said[object.number] = MIXED;
    else {
      const element = offset === OFFSET_UNKNOWN ? 0 : address - object.address - offset;
      const isAtElement = element === 0 || (element > 0 && element % this.catalog.types.sizeBytes[type] === 0);
      this.said[object.number] = isAtElement ? type : MIXED;
    }
  }
}
