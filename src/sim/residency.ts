// Stage: replay. How long lines lay in units of each level, by the object that they were brought for.
// docs/data-flow.md, "Residency".

import { LEVELS, setsOf, type Machine } from '../replay/machine.js';
import type { ResidencyTable } from '../replay/flow-result.js';
import { NO_LINE } from './cache.js';
import { ExactSum } from './exact-sum.js';
import type { Life } from './life.js';
import type { Readings } from './readings.js';
import type { SimObject } from './sim-object.js';

/** A unit of a level, by frame. */
interface Unit {
  /** null: of no object; undefined: the frame is empty. */
  readonly owner: (Life | null | undefined)[];
  readonly since: Float64Array;
}

/** By level. */
class LineTimes {
  readonly alive = LEVELS.map(() => new ExactSum());
  readonly freed = LEVELS.map(() => new ExactSum());
}

export class Residency {
  /** Replay time of the reference under way. */
  now = 0;
  /** By level, then by unit: those that ever held a line. */
  private readonly units: Unit[][] = LEVELS.map(() => []);
  private readonly lineCounts: readonly number[];
  /** By number of the object. */
  private times: LineTimes[] = [];
  private none = new LineTimes();
  /** Lines that left a unit during the reference under way, and their owners there. */
  private readonly leftLines: number[] = [];
  private readonly leftOwners: (Life | null)[] = [];

  constructor(machine: Machine) {
    this.lineCounts = LEVELS.map((level) => setsOf(machine[level], machine.lineBytes) * machine[level].ways);
  }

  /** A reference begins. */
  begin(): void {
    this.leftLines.length = this.leftOwners.length = 0;
  }

  /** `life`: of the object of the reference under way. */
  filled(life: Life | null, level: number, unit: number, frame: number, line: number, victim: number): void {
    const kept = this.leftLines.lastIndexOf(line);
    const owner = kept < 0 ? life : this.leftOwners[kept];
    if (victim !== NO_LINE) this.left(level, unit, frame, victim);
    const { owner: owners, since } = this.unitOf(level, unit);
    owners[frame] = owner;
    since[frame] = this.now;
  }

  /** The line left the frame. Should it come in elsewhere before the reference is over, it keeps its owner. */
  left(level: number, unit: number, frame: number, line: number): void {
    this.leftLines.push(line);
    this.leftOwners.push(this.unitOf(level, unit).owner[frame] ?? null);
    this.removed(level, unit, frame);
  }

  /** A store took the line out of the frame. */
  removed(level: number, unit: number, frame: number): void {
    this.countStay(level, this.unitOf(level, unit), frame, this.now);
    this.unitOf(level, unit).owner[frame] = undefined;
  }

  /** A window begins. */
  restart(time: number): void {
    for (const { since } of this.units.flat()) since.fill(time);
    this.times = [];
    this.none = new LineTimes();
  }

  /** The run is over. */
  finish(time: number): void {
    this.units.forEach((units, level) => {
      units.forEach((unit) => unit.owner.forEach((_, frame) => this.countStay(level, unit, frame, time)));
    });
  }

  freeze(objects: readonly SimObject[], readings: Readings): ResidencyTable {
    const sums = new Map<number, LineTimes>();
    this.times.forEach((times, number) => addAll(sums, readings.of(objects[number]), times));
    addAll(sums, readings.none(), this.none);
    const rows = [...sums]
      .flatMap(([reading, { alive, freed }]) =>
        LEVELS.map((_, level) => ({ level, reading, lineTime: alive[level].value, freedLineTime: freed[level].value })),
      )
      .filter(({ lineTime, freedLineTime }) => lineTime > 0 || freedLineTime > 0);
    return {
      count: rows.length,
      level: Uint8Array.from(rows, ({ level }) => level),
      reading: Uint32Array.from(rows, ({ reading }) => reading),
      lineTime: Float64Array.from(rows, ({ lineTime }) => lineTime),
      freedLineTime: Float64Array.from(rows, ({ freedLineTime }) => freedLineTime),
    };
  }

  private countStay(level: number, { owner: owners, since }: Unit, frame: number, until: number): void {
    const owner = owners[frame];
    if (owner === undefined) return;
    const from = since[frame];
    if (owner === null) return this.none.alive[level].add(until - from);
    const { alive, freed } = (this.times[owner.object] ??= new LineTimes());
    const end = owner.endedAt < 0 ? until : Math.max(from, owner.endedAt);
    alive[level].add(end - from);
    freed[level].add(until - end);
  }

  private unitOf(level: number, unit: number): Unit {
    const frames = this.lineCounts[level];
    return (this.units[level][unit] ??= {
      owner: new Array<Life | null | undefined>(frames).fill(undefined),
      since: new Float64Array(frames),
    });
  }
}

function addAll(sums: Map<number, LineTimes>, reading: number, { alive, freed }: LineTimes): void {
  let sum = sums.get(reading);
  if (sum === undefined) sums.set(reading, (sum = new LineTimes()));
  LEVELS.forEach((_, level) => {
    sum.alive[level].addAll(alive[level]);
    sum.freed[level].addAll(freed[level]);
  });
}
