// Stage: replay. What a reference or a byte belongs to as known now, as one number: a type, or a heap site with a size.
// docs/replay/attribution.md. Sites get their names at the end, by one vote of all their objects.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_KINDS, type LabelTable } from '../replay/result.js';
import type { Catalog } from '../trace/catalog.js';
import { NO_LABEL, ObjectKind, type SimObject } from './sim-object.js';
import { isRecordType, winnerOf } from './tallies.js';

interface Site {
  readonly allocationSlot: number;
  readonly sizeBytes: number;
  /** References by struct type of their slot, over all its objects that have ended. */
  readonly votes: Map<number, number>;
}

export class Labels {
  /** Of bytes that lie in no object. Labels below it are types, those above are sites. */
  readonly noObject: number;
  private readonly sites: Site[] = [];
  /** By allocation slot and size. */
  private readonly siteOf = new Map<number, Map<number, number>>();

  constructor(private readonly catalog: Catalog) {
    this.noObject = catalog.types.count;
  }

  ofReference(slot: number, object: SimObject | null): number {
    if (object !== null && object.declared !== 0) return object.declared;
    const type = this.catalog.slots.type[slot];
    if (object === null || object.kind !== ObjectKind.heap || isRecordType(this.catalog, type)) return type;
    return this.ofSite(object);
  }

  ofByte(object: SimObject | null): number {
    if (object === null) return this.noObject;
    return object.declared !== 0 || object.kind !== ObjectKind.heap ? object.declared : this.ofSite(object);
  }

  /** The object has ended: its votes count for its site. Before Tallies settles it. */
  settle(object: SimObject): void {
    if (object.votes === null || object.kind !== ObjectKind.heap || object.declared !== 0) return;
    const { votes } = this.sites[this.ofSite(object) - this.noObject - 1];
    for (const [type, count] of object.votes.counts()) votes.set(type, (votes.get(type) ?? 0) + count);
  }

  freeze(): LabelTable {
    const count = this.noObject + 1 + this.sites.length;
    const table = {
      count,
      kind: new Uint8Array(count).fill(LABEL_KINDS.indexOf('type')),
      type: Uint32Array.from({ length: count }, (_, label) => (label < this.noObject ? label : 0)),
      allocationSlot: new Uint32Array(count).fill(NO_INDEX),
      sizeBytes: new Float64Array(count),
    };
    table.kind[this.noObject] = LABEL_KINDS.indexOf('no-object');
    this.sites.forEach(({ allocationSlot, sizeBytes, votes }, index) => {
      const label = this.noObject + 1 + index;
      table.kind[label] = LABEL_KINDS.indexOf('site');
      table.type[label] = winnerOf(this.catalog, votes);
      table.allocationSlot[label] = allocationSlot;
      table.sizeBytes[label] = sizeBytes;
    });
    return table;
  }

  private ofSite(object: SimObject): number {
    if (object.siteLabel === NO_LABEL) object.siteLabel = this.intern(object.allocationSlot, object.sizeBytes);
    return object.siteLabel;
  }

  private intern(allocationSlot: number, sizeBytes: number): number {
    let bySize = this.siteOf.get(allocationSlot);
    if (!bySize) this.siteOf.set(allocationSlot, (bySize = new Map()));
    let label = bySize.get(sizeBytes);
    if (label === undefined) {
      this.sites.push({ allocationSlot, sizeBytes, votes: new Map() });
      bySize.set(sizeBytes, (label = this.noObject + this.sites.length));
    }
    return label;
  }
}
