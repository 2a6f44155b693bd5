// Stage: replay. Fills of each level by the label of the reference that made them, and by bin of the level's sets.
// docs/data-flow.md, "Sets".

import { MISS_BIN_COLUMNS, type MissBinTable } from '../contract/flow-result.js';
import { KeyedCounts } from './keyed-counts.js';
import { tableOf } from './table.js';

export class MissBins {
  private readonly counts = new KeyedCounts<[level: number, label: number, bin: number]>();

  add(level: number, label: number, bin: number): void {
    this.counts.add(level, label, bin);
  }

  /** A window begins. */
  restart(): void {
    this.counts.restart();
  }

  freeze(): MissBinTable {
    const rows = this.counts
      .rows()
      .map(({ key: [level, label, bin], count: misses }) => ({ level, label, bin, misses }));
    return tableOf(rows, MISS_BIN_COLUMNS);
  }
}
