// Stage: replay. Fills of each level by the label of the reference that made them, and by bin of the level's sets.
// docs/data-flow.md, "Sets".

import type { MissBinTable } from '../replay/flow-result.js';
import { LEVELS, type Machine } from '../replay/machine.js';
import { setBinsOf } from '../replay/result.js';
import { TakerCounts } from './taker-counts.js';

export class MissBins {
  private readonly counts = new TakerCounts();
  private readonly framesPerBin: readonly number[];

  constructor(machine: Machine) {
    this.framesPerBin = LEVELS.map(
      (level) => setBinsOf(machine[level], machine.lineBytes).setsPerBin * machine[level].ways,
    );
  }

  /** `frame`: set × ways + way. */
  add(level: number, label: number, frame: number): void {
    this.counts.add(level, label, 0, Math.floor(frame / this.framesPerBin[level]));
  }

  /** A window begins. */
  restart(): void {
    this.counts.restart();
  }

  freeze(): MissBinTable {
    const { count, level, taker, bin, lines } = this.counts.freeze();
    return { count, level, label: taker, bin, misses: lines };
  }
}
