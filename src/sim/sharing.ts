// Stage: replay. L1 misses that other cores' stores caused, counted per pair of what missed and what was stored.

import { NO_INDEX } from '../base/ids.js';
import { RELATIONS, type SharingTable } from '../replay/result.js';
import type { Store } from './history.js';
import type { Objects, SimObject } from './objects.js';

/** Index into CLASSES. */
export const TRUE_SHARING = 1;
export const FALSE_SHARING = 2;

const RECYCLED = RELATIONS.indexOf('recycled');
const SAME_OBJECT = RELATIONS.indexOf('same-object');
const OTHER = RELATIONS.indexOf('same-type');

/** The columns of SharingTable but `misses`, in order. */
type Key = readonly [number, number, number, number, number, number, number, number];

export class Sharing {
  private readonly pairs = new Map<string, { readonly key: Key; misses: number }>();

  constructor(private readonly objects: Objects) {}

  add(missClass: number, slot: number, object: SimObject | null, leaf: number, store: Store): void {
    const key: Key = [
      missClass,
      this.relation(object, store),
      slot,
      object?.number ?? NO_INDEX,
      leaf,
      store.slot,
      store.object,
      store.leaf,
    ];
    const text = key.join(' ');
    const pair = this.pairs.get(text);
    if (pair) pair.misses++;
    else this.pairs.set(text, { key, misses: 1 });
  }

  /** A window begins. */
  restart(): void {
    this.pairs.clear();
  }

  freeze(): SharingTable {
    const rows = [...this.pairs.values()];
    const column = (index: number): Uint32Array => Uint32Array.from(rows, (row) => row.key[index]);
    return {
      count: rows.length,
      class: Uint8Array.from(column(0)),
      relation: Uint8Array.from(column(1)),
      missSlot: column(2),
      missObject: column(3),
      missLeaf: column(4),
      writeSlot: column(5),
      writeObject: column(6),
      writeLeaf: column(7),
      misses: Float64Array.from(rows, (row) => row.misses),
    };
  }

  private relation(object: SimObject | null, store: Store): number {
    const ownerNow = this.objects.find(store.address)?.number ?? NO_INDEX;
    if (ownerNow !== store.object || (object !== null && object.lifeNumber > store.livesThen)) return RECYCLED;
    return object !== null && object.number === store.object ? SAME_OBJECT : OTHER;
  }
}
