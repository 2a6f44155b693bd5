// Stage: samples -> profile. One level of the simulated machine while the working set is played: which lines lie in it,
// for how long, and whose they are.

import type { CacheLevel } from '../../contract/machine.js';
import { setsOf } from '../../contract/machine.js';

interface Resident {
  readonly type: number;
  since: number;
}

/** True LRU, whatever the machine's policy. Time counts from `from` on. */
export class LineCache {
  readonly sets: number;
  readonly ways: number;
  /** Lines times time, by type. */
  readonly lineTime = new Map<number, number>();
  /** By set, in order of use. */
  readonly #resident: (Map<number, Resident> | undefined)[] = [];

  constructor(
    level: CacheLevel,
    lineBytes: number,
    private readonly from: number,
  ) {
    this.sets = setsOf(level, lineBytes);
    this.ways = level.ways;
  }

  /** Whether it had the line; it has it now. */
  touch(line: number, type: number, now: number): boolean {
    const number = line % this.sets;
    const set = (this.#resident[number] ??= new Map());
    const known = set.get(line);
    if (known !== undefined) {
      set.delete(line);
      set.set(line, known);
      return true;
    }
    if (set.size >= this.ways) this.#leave(set, set.keys().next().value as number, now);
    set.set(line, { type, since: now });
    return false;
  }

  /** Lines from `first` on; in time that follows from what the cache can hold, however many they are. */
  remove(first: number, count: number, now: number): void {
    if (count > this.sets) return this.#leaveAll(now, (line) => line >= first && line < first + count);
    for (let line = first, index = 0; index < count; line++, index++) {
      const set = this.#resident[line % this.sets];
      if (set?.has(line) === true) this.#leave(set, line, now);
    }
  }

  finish(now: number): void {
    this.#leaveAll(now, () => true);
  }

  #leaveAll(now: number, isWanted: (line: number) => boolean): void {
    for (const set of this.#resident)
      for (const line of [...(set?.keys() ?? [])]) if (isWanted(line)) this.#leave(set!, line, now);
  }

  #leave(set: Map<number, Resident>, line: number, now: number): void {
    const { type, since } = set.get(line)!;
    set.delete(line);
    const time = now - Math.max(since, this.from);
    if (time > 0) this.lineTime.set(type, (this.lineTime.get(type) ?? 0) + time);
  }
}
