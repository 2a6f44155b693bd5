// Stage: replay. L1 misses of what other cores had stored, counted per pair of what missed and what was stored.
// docs/replay/attribution.md, "Sharing".

import { NO_INDEX } from '../base/ids.js';
import { RELATIONS, SHARING_COLUMNS, type SharingTable } from '../contract/result.js';
import type { Store } from './history.js';
import { KeyedCounts } from './keyed-counts.js';
import type { Objects } from './objects.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';

const RECYCLED = RELATIONS.indexOf('recycled');
const SAME_OBJECT = RELATIONS.indexOf('same-object');
const OTHER = RELATIONS.indexOf('same-type');

/** The columns of SharingTable but `misses`, in order. */
type Key = [number, number, number, number, number, number, number, number];

export class Sharing {
  private readonly pairs = new KeyedCounts<Key>();

  constructor(private readonly objects: Objects) {}

  /** A miss of the class by the slot in the object's leaf, because of the store. */
  add(missClass: number, slot: number, object: SimObject | null, leaf: number, store: Store): void {
    const relation = this.relation(object, store);
    const missObject = object?.number ?? NO_INDEX;
    this.pairs.add(missClass, relation, slot, missObject, leaf, store.slot, store.object, store.leaf);
  }

  /** A window begins. */
  restart(): void {
    this.pairs.restart();
  }

  freeze(): SharingTable {
    const rows = this.pairs.rows().map(({ key, count: misses }) => {
      const [missClass, relation, missSlot, missObject, missLeaf, writeSlot, writeObject, writeLeaf] = key;
      return {
        ...{ class: missClass, relation, misses },
        ...{ missSlot, missObject, missLeaf, writeSlot, writeObject, writeLeaf },
      };
    });
    return tableOf(rows, SHARING_COLUMNS);
  }

  /** `recycled`: the memory at either reference's first byte changed its owner since the store. */
  private relation(object: SimObject | null, store: Store): number {
    const ownerNow = this.objects.find(store.address)?.number ?? NO_INDEX;
    if (ownerNow !== store.object || (object !== null && object.lifeNumber > store.livesThen)) return RECYCLED;
    return object !== null && object.number === store.object ? SAME_OBJECT : OTHER;
  }
}
