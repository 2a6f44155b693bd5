// Stage: replay. The owner of a reference or a byte as far as it is known now, as one number: a type, or a heap site
// with a size. docs/replay/attribution.md. Sites get their names at the end, by one vote of all their objects.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_COLUMNS, LABEL_KINDS, type LabelTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { isRecordType, PAGE_BYTES } from '../contract/memory-types.js';
import { isMemory, winnerOf } from './typing.js';

interface Site {
  readonly label: number;
  readonly allocationSlot: number;
  readonly sizeBytes: number;
  /** References by struct type of their slot, over all its objects that have ended. */
  readonly votes: Map<number, number>;
}

const [TYPE, SITE, NO_OBJECT, POOL] = (['type', 'site', 'no-object', 'pool'] as const).map((kind) =>
  LABEL_KINDS.indexOf(kind),
);

export class Labels {
  /** The label of bytes that lie in no object. Labels below it are types, those above are sites. */
  private readonly noObject: number;
  /** By allocation slot and size. */
  private readonly sites = new Map<string, Site>();

  constructor(private readonly catalog: Catalog) {
    this.noObject = catalog.types.count;
  }

  /**
   * The first that applies: the object's declared type, where memory does not let a struct of the slot go first; the
   * slot's struct, union or class; of a heap object its site; the slot's type.
   */
  ofReference(slot: number, object: SimObject | null): number {
    const type = this.catalog.slots.type[slot];
    const namesStruct = isRecordType(this.catalog, type);
    if (object !== null && object.declared !== 0)
      return namesStruct && isMemory(this.catalog, object) ? type : object.declared;
    if (object === null || object.kind !== ObjectKind.heap || namesStruct) return type;
    return this.siteOf(object).label;
  }

  /** A byte's label is its object's declared type, else of a heap object its site. */
  ofByte(object: SimObject | null): number {
    if (object === null) return this.noObject;
    return object.declared !== 0 || object.kind !== ObjectKind.heap ? object.declared : this.siteOf(object).label;
  }

  /** The object has ended: its votes count for its site. Before Tallies settles it. */
  settle(object: SimObject): void {
    if (object.votes === null || object.kind !== ObjectKind.heap || object.declared !== 0) return;
    const { votes } = this.siteOf(object);
    for (const [type, count] of object.votes) votes.set(type, (votes.get(type) ?? 0) + count);
  }

  freeze(): LabelTable {
    const types = Array.from({ length: this.noObject }, (_, type) => ({ kind: TYPE, type }));
    const sites = Array.from(this.sites.values(), ({ votes, allocationSlot, sizeBytes }) => {
      const isPool = sizeBytes > PAGE_BYTES && votes.size > 1;
      const named = isPool ? { kind: POOL, type: 0 } : { kind: SITE, type: winnerOf(this.catalog, votes) };
      return { ...named, allocationSlot, sizeBytes };
    });
    const rows = [...types, { kind: NO_OBJECT, type: 0 }, ...sites];
    return tableOf(
      rows.map((row) => ({ allocationSlot: NO_INDEX, sizeBytes: 0, ...row })),
      LABEL_COLUMNS,
    );
  }

  /** A heap object's site is its allocation slot as of now and its size. */
  private siteOf({ allocationSlot, sizeBytes }: SimObject): Site {
    const key = `${allocationSlot} ${sizeBytes}`;
    let site = this.sites.get(key);
    if (site === undefined) {
      site = { label: this.noObject + 1 + this.sites.size, allocationSlot, sizeBytes, votes: new Map() };
      this.sites.set(key, site);
    }
    return site;
  }
}
