// Stage: replay. Which lines of each object were referenced, and so in which sets they may lie. docs/data-flow.md,
// "Sets".

import { OBJECT_BIN_COLUMNS, type FlowTables } from '../contract/flow-result.js';
import { LEVELS } from '../contract/machine.js';
import type { Readings } from './readings.js';
import type { Sets } from './sets.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';

interface Bin {
  readonly level: number;
  readonly reading: number;
  readonly bin: number;
  lines: number;
  objects: number;
}

export class ObjectLines {
  /** By number of the object, while it may be referenced. */
  private readonly ofObject = new Map<number, Set<number>>();
  /** By reading, of objects that have ended. */
  private readonly ofReading = new Map<number, Set<number>>();
  private readonly bins = new Map<string, Bin>();

  constructor(
    private readonly sets: Sets,
    private readonly readings: Readings,
  ) {}

  reference({ number }: SimObject, line: number): void {
    const lines = this.ofObject.get(number);
    if (lines === undefined) this.ofObject.set(number, new Set([line]));
    else lines.add(line);
  }

  /** The object is referenced no more, and its vote is known. */
  settle(object: SimObject): void {
    const own = this.ofObject.get(object.number);
    if (own === undefined) return;
    this.ofObject.delete(object.number);
    const reading = this.readings.ofRow(object);
    const all = this.ofReading.get(reading) ?? new Set<number>();
    this.ofReading.set(reading, all);
    for (const line of own) all.add(line);
    LEVELS.forEach((_, level) => {
      for (const bin of new Set(Array.from(own, (line) => this.binOf(level, reading, line)))) bin.objects++;
    });
  }

  /** A window begins. */
  restart(): void {
    this.ofObject.clear();
    this.ofReading.clear();
    this.bins.clear();
  }

  /** All objects have been settled. */
  freeze(): Pick<FlowTables, 'objectBins' | 'linesPerSet'> {
    for (const [reading, lines] of this.ofReading)
      for (const line of lines) LEVELS.forEach((_, level) => this.binOf(level, reading, line).lines++);
    const all = new Set([...this.ofReading.values()].flatMap((lines) => [...lines]));
    const objectBins = tableOf([...this.bins.values()], OBJECT_BIN_COLUMNS);
    return { objectBins, linesPerSet: [this.linesPerSet(0, all), this.linesPerSet(1, all), this.linesPerSet(2, all)] };
  }

  private binOf(level: number, reading: number, line: number): Bin {
    const bin = this.sets.binOf(level, line);
    const key = `${level} ${reading} ${bin}`;
    let row = this.bins.get(key);
    if (row === undefined) this.bins.set(key, (row = { level, reading, bin, lines: 0, objects: 0 }));
    return row;
  }

  private linesPerSet(level: number, lines: ReadonlySet<number>): Float64Array {
    const counts = new Float64Array(this.sets.bins[level].sets);
    for (const line of lines) counts[this.sets.setOf(level, line)]++;
    return counts;
  }
}
