// Stage: replay. The counts of each object: its misses by level, class and rule, their latency, and its misses before
// its first use and after its last. docs/replay/attribution.md.

import { CLASSES, DPROF_RULES, LEVELS } from '../contract/machine.js';
import { OBJECT_COUNTER_COLUMNS, OBJECT_COUNTERS, type ObjectCounterTable } from '../contract/result.js';
import type { Miss } from './miss-classifier.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';

const PER_LEVEL = CLASSES.length + 1 + DPROF_RULES.length;
const SHARED = CLASSES.length;
const DPROF = SHARED + 1;
const MISS_LATENCY = PER_LEVEL * LEVELS.length;
const BEFORE_FIRST_USE = MISS_LATENCY + 1;
const AFTER_LAST_USE = MISS_LATENCY + 2;

export class ObjectCounters {
  /** By number of the object that met something, in the order of OBJECT_COUNTERS. */
  private readonly met = new Map<number, number[]>();

  /** A reference to the object, with its misses by level. A load of the object is a use of it. */
  reference(object: SimObject, isStore: boolean, misses: readonly Miss[]): void {
    misses.forEach(({ missClass, isCompulsoryShared, dprofRule }, level) => {
      const first = level * PER_LEVEL;
      this.add(object, first + missClass, 1);
      if (isCompulsoryShared) this.add(object, first + SHARED, 1);
      this.add(object, first + DPROF + dprofRule, 1);
    });
    if (!isStore) {
      if (!object.isRead) this.add(object, BEFORE_FIRST_USE, object.unreadMisses);
      object.unreadMisses = 0;
      object.isRead = true;
    } else if (misses.length > 0) object.unreadMisses++;
  }

  /** An access that missed, and whose first reference was to the object. */
  latency(object: SimObject, cycles: number): void {
    this.add(object, MISS_LATENCY, cycles);
  }

  /** A life of the object is over: what its stores missed since the last load has found no reader. */
  endLife(object: SimObject): void {
    this.add(object, object.isRead ? AFTER_LAST_USE : BEFORE_FIRST_USE, object.unreadMisses);
    object.unreadMisses = 0;
    object.isRead = false;
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.met.clear();
  }

  freeze(): ObjectCounterTable {
    const rows = [...this.met].flatMap(([object, counts]) =>
      counts.map((value, counter) => ({ object, counter, value })).filter(({ value }) => value !== 0),
    );
    return tableOf(rows, OBJECT_COUNTER_COLUMNS);
  }

  private add({ number }: SimObject, counter: number, value: number): void {
    if (value === 0) return;
    let counts = this.met.get(number);
    if (counts === undefined) this.met.set(number, (counts = OBJECT_COUNTERS.map(() => 0)));
    counts[counter] += value;
  }
}
