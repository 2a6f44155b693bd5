// Stage: replay. Which lines of each object were referenced, and so in which sets they may lie. docs/data-flow.md,
// "Sets".

import type { FlowTables, ObjectBinTable } from '../replay/flow-result.js';
import { LEVELS, setsOf, type Machine } from '../replay/machine.js';
import { setBinsOf, type SetBins } from '../replay/result.js';
import type { Lines } from './lines.js';
import type { Readings } from './readings.js';
import type { SimObject } from './sim-object.js';

interface Bin {
  readonly level: number;
  readonly reading: number;
  readonly bin: number;
  lines: number;
  objects: number;
}

export class ObjectLines {
  /** By number of the object, while it may be referenced. */
  private ofObject: (Set<number> | undefined)[] = [];
  /** By reading, of objects that have ended. */
  private ofReading = new Map<number, Set<number>>();
  private readonly bins = new Map<string, Bin>();
  private readonly levels: readonly SetBins[];
  private lastObject = -1;
  private lastLine = -1;

  constructor(
    private readonly machine: Machine,
    private readonly lines: Lines,
    private readonly readings: Readings,
  ) {
    this.levels = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes));
  }

  reference({ number }: SimObject, line: number): void {
    if (number === this.lastObject && line === this.lastLine) return;
    this.lastObject = number;
    this.lastLine = line;
    (this.ofObject[number] ??= new Set()).add(line);
  }

  /** The object is referenced no more, and its vote is known. */
  settle(object: SimObject): void {
    const own = this.ofObject[object.number];
    if (own === undefined) return;
    const reading = this.readings.ofRow(object);
    let all = this.ofReading.get(reading);
    if (all === undefined) this.ofReading.set(reading, (all = new Set()));
    for (const line of own) all.add(line);
    LEVELS.forEach((_, level) => {
      for (const bin of new Set(Array.from(own, (line) => this.binOf(level, reading, line)))) bin.objects++;
    });
    this.ofObject[object.number] = undefined;
  }

  /** A window begins. */
  restart(): void {
    this.ofObject = [];
    this.ofReading.clear();
    this.bins.clear();
    this.lastObject = this.lastLine = -1;
  }

  /** All objects have been settled. */
  freeze(): Pick<FlowTables, 'objectBins' | 'linesPerSet'> {
    for (const [reading, lines] of this.ofReading)
      for (const line of lines) LEVELS.forEach((_, level) => this.binOf(level, reading, line).lines++);
    const all = new Set([...this.ofReading.values()].flatMap((lines) => [...lines]));
    return {
      objectBins: freezeBins([...this.bins.values()]),
      linesPerSet: [this.linesPerSet(0, all), this.linesPerSet(1, all), this.linesPerSet(2, all)],
    };
  }

  private binOf(level: number, reading: number, line: number): Bin {
    const bin = Math.floor(this.setOf(level, line) / this.levels[level].setsPerBin);
    const key = `${level} ${reading} ${bin}`;
    let row = this.bins.get(key);
    if (row === undefined) this.bins.set(key, (row = { level, reading, bin, lines: 0, objects: 0 }));
    return row;
  }

  private linesPerSet(level: number, lines: ReadonlySet<number>): Float64Array {
    const counts = new Float64Array(this.levels[level].sets);
    for (const line of lines) counts[this.setOf(level, line)]++;
    return counts;
  }

  private setOf(level: number, line: number): number {
    return this.lines.placeOf(line) % setsOf(this.machine[LEVELS[level]], this.machine.lineBytes);
  }
}

function freezeBins(rows: readonly Bin[]): ObjectBinTable {
  return {
    count: rows.length,
    level: Uint8Array.from(rows, ({ level }) => level),
    reading: Uint32Array.from(rows, ({ reading }) => reading),
    bin: Uint8Array.from(rows, ({ bin }) => bin),
    lines: Float64Array.from(rows, ({ lines }) => lines),
    objects: Float64Array.from(rows, ({ objects }) => objects),
  };
}
