// Stage: replay. Who takes whose line: every eviction and invalidation by the label of the reference that caused it,
// the label of the one that had brought the line, and the set. docs/replay/attribution.md.

import { LEVELS, setsOf, type Machine } from '../replay/machine.js';
import { setBinsOf } from '../replay/result.js';
import { NO_LINE } from './cache.js';
import { TakerCounts } from './taker-counts.js';

export class Takers {
  readonly evictions = new TakerCounts();
  readonly invalidations = new TakerCounts();
  /** Per level. */
  readonly fills: [number, number, number] = [0, 0, 0];
  readonly evicted: [number, number, number] = [0, 0, 0];
  /** By level, unit and frame: label of the reference that brought the line there. */
  private readonly bringers: Uint32Array[][] = LEVELS.map(() => []);
  private readonly lineCounts: readonly number[];
  private readonly linesPerBin: readonly number[];
  /** Lines that left a unit during the reference under way, and their labels there. */
  private readonly leftLines: number[] = [];
  private readonly leftLabels: number[] = [];
  private leftCount = 0;

  constructor(machine: Machine) {
    this.lineCounts = LEVELS.map((level) => setsOf(machine[level], machine.lineBytes) * machine[level].ways);
    this.linesPerBin = LEVELS.map(
      (level) => setBinsOf(machine[level], machine.lineBytes).setsPerBin * machine[level].ways,
    );
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

  filled(label: number, level: number, unit: number, frame: number, line: number, victim: number): void {
    const bringers = this.bringersOf(level, unit);
    const owner = bringers[frame];
    this.fills[level]++;
    bringers[frame] = this.leftCount === 0 ? label : this.labelOfLeft(line, label);
    if (victim === NO_LINE) return;
    this.evicted[level]++;
    this.evictions.add(level, label, owner, this.binOf(level, frame));
    this.keep(victim, owner);
  }

  /** The line went with that of an inclusive level below. */
  evictedWith(label: number, level: number, unit: number, frame: number, line: number): void {
    this.evicted[level]++;
    this.evictions.add(level, label, this.bringersOf(level, unit)[frame], this.binOf(level, frame));
    this.left(level, unit, frame, line);
  }

  left(level: number, unit: number, frame: number, line: number): void {
    this.keep(line, this.bringersOf(level, unit)[frame]);
  }

  invalidated(label: number, l1: number, l2: number, frame: number): void {
    const level = l1 !== -1 ? 0 : 1;
    const unit = l1 !== -1 ? l1 : l2;
    this.invalidations.add(level, label, this.bringersOf(level, unit)[frame], this.binOf(level, frame));
  }

  /** A line left. Should it come in elsewhere before the reference is over, it keeps its label. */
  private keep(line: number, label: number): void {
    this.leftLines[this.leftCount] = line;
    this.leftLabels[this.leftCount++] = label;
  }

  /** `label` if the line did not leave. */
  private labelOfLeft(line: number, label: number): number {
    for (let at = this.leftCount - 1; at >= 0; at--) if (this.leftLines[at] === line) return this.leftLabels[at];
    return label;
  }

  private bringersOf(level: number, unit: number): Uint32Array {
    return (this.bringers[level][unit] ??= new Uint32Array(this.lineCounts[level]));
  }

  private binOf(level: number, frame: number): number {
    return Math.floor(frame / this.linesPerBin[level]);
  }
}
