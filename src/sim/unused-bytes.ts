// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by what they lie in.
// docs/replay/attribution.md.

import { UNUSED_BYTES_COLUMNS, type UnusedBytesTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import type { Labels } from './labels.js';
import type { Objects } from './objects.js';
import type { Stay } from './stay.js';
import { tableOf } from './table.js';
import { leafOfByte } from './typing.js';

interface Row {
  readonly label: number;
  readonly leaf: number;
  fetchedBytes: number;
  unusedBytes: number;
}

export class UnusedBytes {
  /** By label, then by leaf. */
  private readonly rows = new Map<number, Map<number, Row>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly objects: Objects,
    private readonly labels: Labels,
    private readonly lineBytes: number,
  ) {}

  /**
   * The line leaves an L1: each of its bytes counts as fetched, and as unused if no reference touched it there. A byte
   * belongs to the live object that it lies in now.
   */
  count({ line, isUsed }: Stay): void {
    const address = line * this.lineBytes;
    const end = address + this.lineBytes;
    for (let at = address; at < end; ) {
      const object = this.objects.find(at);
      const label = this.labels.ofByte(object);
      let row: Row | null = null;
      for (const until = this.objects.sameUntil(at, end); at < until; at++) {
        const leaf = leafOfByte(this.catalog, object, at);
        if (row?.leaf !== leaf) row = this.row(label, leaf);
        row.fetchedBytes++;
        if (!isUsed[at - address]) row.unusedBytes++;
      }
    }
  }

  /** A window begins: lines that are in stay in, and count when they leave. */
  restart(): void {
    this.rows.clear();
  }

  freeze(): UnusedBytesTable {
    const rows = [...this.rows.values()].flatMap((byLeaf) => [...byLeaf.values()]);
    return tableOf(rows, UNUSED_BYTES_COLUMNS);
  }

  private row(label: number, leaf: number): Row {
    let byLeaf = this.rows.get(label);
    if (byLeaf === undefined) this.rows.set(label, (byLeaf = new Map()));
    let row = byLeaf.get(leaf);
    if (row === undefined) byLeaf.set(leaf, (row = { label, leaf, fetchedBytes: 0, unusedBytes: 0 }));
    return row;
  }
}
