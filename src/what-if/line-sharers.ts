// Stage: trace -> what-if. CachePerf's rule for sharing: at most two threads that hold a line, as Predator and Cheetah
// keep them; a store takes it from the other. The specification of engine/placing/line_sharers.h.

import { NO_INDEX } from '../base/ids.js';
import type { CacheperfCounts } from './cacheperf-columns.js';

/** In a line: 4 bytes, if it has 64. */
export const WORDS = 16;

export interface Sharer {
  readonly thread: number;
  /** A bit for each word that it referenced since it has the line. */
  words: number;
  /** Of what it referenced last: 1 + the row, 0 for none; the number of the heap object, NO_INDEX for none. */
  row: number;
  block: number;
}

export class LineSharers {
  /** By line: one, or two of different threads. */
  private readonly lines = new Map<number, Sharer[]>();

  constructor(private readonly counts: CacheperfCounts) {}

  reference(sharer: Sharer, line: number, isStore: boolean): void {
    const { thread, words, row, block } = sharer;
    const sharers = this.lines.get(line);
    if (sharers === undefined) {
      this.lines.set(line, [sharer]);
      return;
    }
    const others = sharers.filter((one) => one.thread !== thread);
    if (isStore && others.length > 0) {
      this.invalidate(sharer, others);
      this.lines.set(line, [sharer]);
      return;
    }
    const own = sharers.find((one) => one.thread === thread);
    if (own !== undefined) {
      own.words |= words;
      [own.row, own.block] = [row, block];
    } else if (sharers.length < 2) sharers.push(sharer); // a third one has no place
  }

  /** One invalidation, which counts once for each of the data that it is about. */
  private invalidate(store: Sharer, others: readonly Sharer[]): void {
    const { counts } = this;
    const isTrue = others.some(({ words }) => (words & store.words) !== 0);
    const isAcross = others.some(({ block }) => areTwoBlocks(block, store.block));
    for (const row of new Set([store, ...others].map((one) => one.row))) {
      if (row === 0) continue;
      (isTrue ? counts.trueSharing : counts.falseSharing)[row - 1]++;
      if (isAcross) counts.sharingAcross[row - 1]++;
    }
  }
}

function areTwoBlocks(one: number, other: number): boolean {
  return one !== NO_INDEX && other !== NO_INDEX && one !== other;
}
