// Stage: replay. The takers of lines: every eviction and invalidation by the label of the reference that caused it (the
// taker), the label of the reference that had brought the line (the owner), and the set. docs/replay/attribution.md.

import { TAKER_COLUMNS, type TakerTable } from '../contract/result.js';
import { KeyedCounts } from './keyed-counts.js';
import { tableOf } from './table.js';

type Key = [level: number, taker: number, owner: number, bin: number];

export class Takers {
  /** Per level. */
  readonly fills: [number, number, number] = [0, 0, 0];
  readonly evicted: [number, number, number] = [0, 0, 0];
  private readonly evictions = new KeyedCounts<Key>();
  private readonly invalidations = new KeyedCounts<Key>();

  /** A line had to leave a unit of the level, from the bin of its sets, because of a fill. */
  evict(level: number, taker: number, owner: number, bin: number): void {
    this.evicted[level]++;
    this.evictions.add(level, taker, owner, bin);
  }

  invalidate(level: number, taker: number, owner: number, bin: number): void {
    this.invalidations.add(level, taker, owner, bin);
  }

  /** A window begins. */
  restart(): void {
    this.evictions.restart();
    this.invalidations.restart();
    this.fills.fill(0);
    this.evicted.fill(0);
  }

  freeze(): { evictions: TakerTable; invalidations: TakerTable } {
    return { evictions: freezeCounts(this.evictions), invalidations: freezeCounts(this.invalidations) };
  }
}

function freezeCounts(counts: KeyedCounts<Key>): TakerTable {
  const rows = counts.rows().map(({ key: [level, taker, owner, bin], count }) => {
    return { level, taker, owner, bin, lines: count };
  });
  return tableOf(rows, TAKER_COLUMNS);
}
