// Stage: replay. What each object met: its misses by level, class and rule, their latency, and which of them nobody had, or had again, any use
// for. docs/replay.md, "Attribution". Only objects that missed have counters, and only what is not 0 outlives them.

import { CLASSES, DPROF_RULES, LEVELS } from '../replay/machine.js';
import { OBJECT_COUNTERS, type ObjectCounterTable } from '../replay/result.js';
import type { MissClassifier } from './miss-classifier.js';
import type { SimObject } from './objects.js';

const PER_LEVEL = CLASSES.length + 1 + DPROF_RULES.length;
const SHARED = CLASSES.length;
const DPROF = SHARED + 1;
const MISS_LATENCY = PER_LEVEL * LEVELS.length;
const BEFORE_FIRST_USE = MISS_LATENCY + 1;
const AFTER_LAST_USE = MISS_LATENCY + 2;
const WIDTH = OBJECT_COUNTERS.length;

export class ObjectCounters {
  private readonly spare: Float64Array[] = [];
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
    this.countersOf(object)[MISS_LATENCY] += cycles;
  }

  /** A life of the object is over. */
  endLife(object: SimObject): void {
    if (object.unreadMisses > 0) this.countersOf(object)[object.isRead ? AFTER_LAST_USE : BEFORE_FIRST_USE] += object.unreadMisses;
    object.unreadMisses = 0;
    object.isRead = false;
  }

  /** Nobody will refer to it any more. */
  settle(object: SimObject): void {
    const { counters } = object;
    if (counters === null) return;
    for (let counter = 0; counter < WIDTH; counter++) {
      if (counters[counter] === 0) continue;
      this.object.push(object.number);
      this.counter.push(counter);
      this.value.push(counters[counter]);
    }
    object.counters = null;
    this.spare.push(counters.fill(0));
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.object.length = this.counter.length = this.value.length = 0;
  }

  freeze(): ObjectCounterTable {
    return { count: this.object.length, object: Uint32Array.from(this.object), counter: Uint8Array.from(this.counter), value: Float64Array.from(this.value) };
  }

  private miss(object: SimObject, missedLevels: number, { missClass, isCompulsoryShared, dprofRule }: MissClassifier): void {
    const counters = this.countersOf(object);
    for (let level = 0; level < missedLevels; level++) {
      const first = level * PER_LEVEL;
      counters[first + missClass[level]]++;
      if (isCompulsoryShared[level]) counters[first + SHARED]++;
      counters[first + DPROF + dprofRule[level]]++;
    }
  }

  /** What its stores missed since the last load has found a reader. */
  private read(object: SimObject): void {
    if (!object.isRead) this.countersOf(object)[BEFORE_FIRST_USE] += object.unreadMisses;
    object.unreadMisses = 0;
  }

  private countersOf(object: SimObject): Float64Array {
    return (object.counters ??= this.spare.pop() ?? new Float64Array(WIDTH));
  }
}
