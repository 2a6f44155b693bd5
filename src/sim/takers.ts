// Stage: replay. Who takes whose line: every eviction and invalidation by the label of the reference that caused it, the label of the one that
// had brought the line, and the set. docs/replay.md, "Attribution".

import { LEVELS, type Machine } from '../replay/machine.js';
import { setBinsOf } from '../replay/result.js';
import { NO_LINE } from './cache.js';
import { grownTo } from './growing-columns.js';
import type { CacheModel } from './cache-model.js';
import type { Lines } from './lines.js';
import { TakerCounts } from './taker-counts.js';

export class Takers {
  readonly evictions = new TakerCounts();
  readonly invalidations = new TakerCounts();
  /** Per level. */
  readonly fills: [number, number, number] = [0, 0, 0];
  readonly evicted: [number, number, number] = [0, 0, 0];
  /** By level, unit and line: label of the reference that brought the line there last. */
  private readonly bringers: Uint32Array<ArrayBuffer>[][] = LEVELS.map(() => []);
  private readonly setsPerBin: readonly number[];
  /** Lines that left a unit during the reference under way, and their labels there. */
  private readonly leftLines: number[] = [];
  private readonly leftLabels: number[] = [];
  private leftCount = 0;

  constructor(
    machine: Machine,
    private readonly lines: Lines,
  ) {
    this.setsPerBin = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes).setsPerBin);
  }

  /** A reference begins. */
  begin(): void {
    this.leftCount = 0;
  }

  /** A window begins: who brought which line stays known. */
  restart(): void {
    this.evictions.restart();
    this.invalidations.restart();
    this.fills.fill(0);
    this.evicted.fill(0);
  }

  filled(label: number, level: number, unit: number, line: number, victim: number, caches: CacheModel): void {
    const units = this.bringers[level];
    const bringers = (units[unit] = grownTo((units[unit] ??= new Uint32Array()), line));
    this.fills[level]++;
    if (victim !== NO_LINE) {
      this.evicted[level]++;
      this.evictions.add(level, label, bringers[victim], this.binOf(level, unit, victim, caches));
    }
    bringers[line] = this.leftCount === 0 ? label : this.labelOfLeft(line, label);
    if (victim !== NO_LINE) this.left(level, unit, victim);
  }

  /** The line went with that of an inclusive level below. */
  evictedWith(label: number, level: number, unit: number, line: number, caches: CacheModel): void {
    this.evicted[level]++;
    this.evictions.add(level, label, this.bringers[level][unit][line], this.binOf(level, unit, line, caches));
    this.left(level, unit, line);
  }

  /** Should it come in elsewhere before the reference is over, it keeps its label. */
  left(level: number, unit: number, line: number): void {
    this.leftLines[this.leftCount] = line;
    this.leftLabels[this.leftCount++] = this.bringers[level][unit][line];
  }

  invalidated(label: number, line: number, l1: number, l2: number, caches: CacheModel): void {
    const level = l1 !== -1 ? 0 : 1;
    const unit = l1 !== -1 ? l1 : l2;
    this.invalidations.add(level, label, this.bringers[level][unit][line], this.binOf(level, unit, line, caches));
  }

  /** `label` if the line did not leave. */
  private labelOfLeft(line: number, label: number): number {
    for (let at = this.leftCount - 1; at >= 0; at--) if (this.leftLines[at] === line) return this.leftLabels[at];
    return label;
  }

  private binOf(level: number, unit: number, line: number, { levels }: CacheModel): number {
    return Math.floor(levels[level][unit].setOf(this.lines.place[line]) / this.setsPerBin[level]);
  }
}
