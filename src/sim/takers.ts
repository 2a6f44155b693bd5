// Stage: replay. Who takes whose line: every eviction and invalidation by the label of the reference that caused it, the label of the one that
// had brought the line, and the set. docs/replay.md, "Attribution".

import { LEVELS, type Machine } from '../replay/machine.js';
import { setBinsOf } from '../replay/result.js';
import { NO_LINE } from './cache.js';
import { grownTo } from './growing-columns.js';
import type { Hierarchy } from './hierarchy.js';
import type { Line, Lines } from './lines.js';
import { TakerCounts } from './taker-counts.js';

export class Takers {
  readonly evictions = new TakerCounts();
  readonly invalidations = new TakerCounts();
  /** Per level. */
  readonly fills: [number, number, number] = [0, 0, 0];
  readonly evicted: [number, number, number] = [0, 0, 0];
  /** By level, unit and line id: label of the reference that brought the line there last. */
  private readonly bringers: Uint32Array[][] = LEVELS.map(() => []);
  private readonly setsPerBin: readonly number[];

  constructor(
    machine: Machine,
    private readonly lines: Lines,
  ) {
    this.setsPerBin = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes).setsPerBin);
  }

  filled(label: number, level: number, unit: number, line: Line, victim: number, hierarchy: Hierarchy): void {
    const units = this.bringers[level];
    const bringers = (units[unit] = grownTo((units[unit] ??= new Uint32Array()), line.id));
    this.fills[level]++;
    if (victim !== NO_LINE) {
      this.evicted[level]++;
      this.evictions.add(level, label, bringers[victim], this.binOf(level, unit, this.lines.withId(victim), hierarchy));
    }
    bringers[line.id] = label;
  }

  invalidated(label: number, line: Line, l1: number, l2: number, hierarchy: Hierarchy): void {
    const [level, unit] = l1 !== -1 ? [0, l1] : [1, l2];
    this.invalidations.add(level, label, this.bringers[level][unit][line.id], this.binOf(level, unit, line, hierarchy));
  }

  private binOf(level: number, unit: number, line: Line, { l1, l2, llc }: Hierarchy): number {
    const cache = (level === 0 ? l1 : level === 1 ? l2 : llc)[unit];
    return Math.floor(cache.setOf(line.lowBits) / this.setsPerBin[level]);
  }
}
