// Stage: replay. How long lines lay in units of each level, by the object that they were brought for.
// docs/data-flow.md, "Residency".

import { RESIDENCY_COLUMNS, type ResidencyTable } from '../contract/flow-result.js';
import { LEVELS } from '../contract/machine.js';
import type { Readings } from './readings.js';
import type { SimObject } from './sim-object.js';
import type { Stay } from './stay.js';
import { tableOf } from './table.js';

/** By level: lines times replay time while their object lived, and once it had ended. Sums may lie beyond 2^53. */
interface LineTimes {
  readonly alive: bigint[];
  readonly freed: bigint[];
}

const NO_OBJECT = -1;

export class Residency {
  /** By number of the object. */
  private readonly times = new Map<number, LineTimes>();

  /** A stay ends, or the run does. */
  count(level: number, { life, since }: Stay, until: number): void {
    const { alive, freed } = timesOf(this.times, life?.object ?? NO_OBJECT);
    const end = life === null || life.endedAt < 0 ? until : Math.max(since, life.endedAt);
    alive[level] += BigInt(end - since);
    freed[level] += BigInt(until - end);
  }

  /** A window begins. */
  restart(): void {
    this.times.clear();
  }

  freeze(objects: readonly SimObject[], readings: Readings): ResidencyTable {
    const sums = new Map<number, LineTimes>();
    for (const [object, { alive, freed }] of this.times) {
      const sum = timesOf(sums, object === NO_OBJECT ? readings.none() : readings.of(objects[object]));
      LEVELS.forEach((_, level) => {
        sum.alive[level] += alive[level];
        sum.freed[level] += freed[level];
      });
    }
    const rows = [...sums]
      .flatMap(([reading, { alive, freed }]) =>
        LEVELS.map((_, level) => ({
          level,
          reading,
          lineTime: Number(alive[level]),
          freedLineTime: Number(freed[level]),
        })),
      )
      .filter(({ lineTime, freedLineTime }) => lineTime > 0 || freedLineTime > 0);
    return tableOf(rows, RESIDENCY_COLUMNS);
  }
}

function timesOf(all: Map<number, LineTimes>, number: number): LineTimes {
  let times = all.get(number);
  if (times === undefined) {
    times = { alive: LEVELS.map(() => 0n), freed: LEVELS.map(() => 0n) };
    all.set(number, times);
  }
  return times;
}
