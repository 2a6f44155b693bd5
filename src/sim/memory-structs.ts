// Stage: replay. The structs that accesses name in memory: objects of which they are not the type, so nobody counts
// how many of them live. docs/replay/objects.md, "Memory and pools".

import { MEMORY_STRUCT_COLUMNS, type MemoryStructTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { holdsOthers } from './typing.js';

interface Row {
  readonly allocationSlot: number;
  readonly variable: number;
  readonly callPath: number;
  readonly type: number;
  objects: number;
}

export class MemoryStructs {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly catalog: Catalog) {}

  /** The object has ended. Before Tallies settles it. */
  settle(object: SimObject): void {
    if (object.votes === null || !holdsOthers(this.catalog, object)) return;
    const { allocationSlot, variable, callPath, declared } = object;
    for (const type of object.votes.keys()) {
      if (this.catalog.declared[type] === declared) continue;
      const key = `${allocationSlot} ${variable} ${callPath} ${type}`;
      const row = this.rows.get(key) ?? { allocationSlot, variable, callPath, type, objects: 0 };
      row.objects++;
      this.rows.set(key, row);
    }
  }

  /** A window begins. */
  restart(): void {
    this.rows.clear();
  }

  freeze(): MemoryStructTable {
    return tableOf([...this.rows.values()], MEMORY_STRUCT_COLUMNS);
  }
}
