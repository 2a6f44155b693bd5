// Stage: replay. What each object met: its misses by level, class and rule, their latency, and which of them nobody
// had, or had again, any use for. docs/replay/attribution.md. Only objects that missed have counters, and only what
// is not 0 outlives them.

import { CLASSES, DPROF_RULES, LEVELS } from '../replay/machine.js';
import { OBJECT_COUNTERS, type ObjectCounterTable } from '../replay/result.js';
import type { MissClassifier } from './miss-classifier.js';
import { grownTo } from './growing-columns.js';
import { NO_ROW, type SimObject } from './sim-object.js';

const PER_LEVEL = CLASSES.length + 1 + DPROF_RULES.length;
const SHARED = CLASSES.length;
const DPROF = SHARED + 1;
const MISS_LATENCY = PER_LEVEL * LEVELS.length;
const BEFORE_FIRST_USE = MISS_LATENCY + 1;
const AFTER_LAST_USE = MISS_LATENCY + 2;
const WIDTH = OBJECT_COUNTERS.length;

export class ObjectCounters {
  /** Row by row, of objects that have not ended. */
  private values = new Float64Array(0);
  private rowCount = 0;
  private readonly spare: number[] = [];
  private readonly object: number[] = [];
  private readonly counter: number[] = [];
  private readonly value: number[] = [];

  /** A reference to the object, which missed `missedLevels` levels. */
  reference(object: SimObject, isStore: boolean, missedLevels: number, classifier: MissClassifier): void {
    if (missedLevels > 0) this.miss(object, missedLevels, classifier);
    if (!isStore) {
      if (object.unreadMisses > 0) this.read(object);
      object.isRead = true;
    } else if (missedLevels > 0) object.unreadMisses++;
  }

  /** An access that missed, and whose first reference was to the object. */
  latency(object: SimObject, cycles: number): void {
    const row = this.rowOf(object);
    this.values[row + MISS_LATENCY] += cycles;
  }

  /** A life of the object is over. */
  endLife(object: SimObject): void {
    if (object.unreadMisses > 0) {
      const row = this.rowOf(object);
      this.values[row + (object.isRead ? AFTER_LAST_USE : BEFORE_FIRST_USE)] += object.unreadMisses;
    }
    object.unreadMisses = 0;
    object.isRead = false;
  }

  /** Nobody will refer to it any more. */
  settle(object: SimObject): void {
    const { counters } = object;
    if (counters === NO_ROW) return;
    for (let counter = 0; counter < WIDTH; counter++) {
      const value = this.values[counters + counter];
      if (value === 0) continue;
      this.object.push(object.number);
      this.counter.push(counter);
      this.value.push(value);
    }
    object.counters = NO_ROW;
    this.values.fill(0, counters, counters + WIDTH);
    this.spare.push(counters);
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.object.length = this.counter.length = this.value.length = 0;
    this.values.fill(0);
    this.rowCount = this.spare.length = 0;
  }

  freeze(): ObjectCounterTable {
    return {
      count: this.object.length,
      object: Uint32Array.from(this.object),
      counter: Uint8Array.from(this.counter),
      value: Float64Array.from(this.value),
    };
  }

  private miss(
    object: SimObject,
    missedLevels: number,
    { missClass, isCompulsoryShared, dprofRule }: MissClassifier,
  ): void {
    const row = this.rowOf(object);
    const { values } = this;
    for (let level = 0; level < missedLevels; level++) {
      const first = row + level * PER_LEVEL;
      values[first + missClass[level]]++;
      if (isCompulsoryShared[level]) values[first + SHARED]++;
      values[first + DPROF + dprofRule[level]]++;
    }
  }

  /** What its stores missed since the last load has found a reader. */
  private read(object: SimObject): void {
    if (!object.isRead) {
      const row = this.rowOf(object);
      this.values[row + BEFORE_FIRST_USE] += object.unreadMisses;
    }
    object.unreadMisses = 0;
  }

  /** Where its row begins. */
  private rowOf(object: SimObject): number {
    if (object.counters === NO_ROW) {
      object.counters = this.spare.pop() ?? WIDTH * this.rowCount++;
      this.values = grownTo(this.values, object.counters + WIDTH - 1);
    }
    return object.counters;
  }
}
