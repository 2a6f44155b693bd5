// Stage: replay. In which set of each level a line lies, and in which bin of sets reports show it: a bin has
// ceil(sets / 256) consecutive sets. All units of a level count together.

import { LEVELS, type Machine } from '../contract/machine.js';
import { setBinsOf, type SetBins } from '../contract/result.js';

export class Sets {
  /** By level. */
  readonly bins: readonly SetBins[];

  /** `physicalLine`: the number that chooses a line's set. */
  constructor(
    machine: Machine,
    private readonly physicalLine: (line: number) => number,
  ) {
    this.bins = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes));
  }

  setOf(level: number, line: number): number {
    return this.physicalLine(line) % this.bins[level].sets;
  }

  binOf(level: number, line: number): number {
    return Math.floor(this.setOf(level, line) / this.bins[level].setsPerBin);
  }
}
