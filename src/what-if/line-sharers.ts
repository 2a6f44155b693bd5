// Stage: trace -> what-if. CachePerf's rule for sharing: at most two threads that hold a line, as Predator and Cheetah
// keep them; a store takes it from the other. The specification of engine/placing/line_sharers.h.

import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import type { CacheperfCounts } from './cacheperf-columns.js';

/** In a line: 4 bytes, if it has 64. */
export const WORDS = 16;

interface Sharer {
  readonly thread: number;
  /** A bit for each word that it referenced since it has the line. */
  words: number;
  /** The object that it referenced last. */
  object: Pick<SimObject, 'kind' | 'number'> | null;
}

export class LineSharers {
  /** By line: one, or two of different threads. */
  private readonly lines = new Map<number, Sharer[]>();

  /** `rowOf`: as in CacheperfRequest. */
  constructor(
    private readonly rowOf: Uint32Array,
    private readonly counts: CacheperfCounts,
  ) {}

  reference(thread: number, line: number, isStore: boolean, words: number, object: Sharer['object']): void {
    const sharers = this.lines.get(line);
    const sharer = { thread, words, object };
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
      own.object = object;
    } else if (sharers.length < 2) sharers.push(sharer); // a third one has no place
  }

  /** One invalidation, which counts once for each of the data that it is about. */
  private invalidate(store: Sharer, others: readonly Sharer[]): void {
    const { counts } = this;
    const isTrue = others.some(({ words }) => (words & store.words) !== 0);
    const isAcross = others.some(({ object }) => areTwoBlocks(object, store.object));
    const rows = new Set([store, ...others].map(({ object }) => this.rowOf[object?.number ?? -1] ?? 0));
    for (const row of rows) {
      if (row === 0) continue;
      (isTrue ? counts.trueSharing : counts.falseSharing)[row - 1]++;
      if (isAcross) counts.sharingAcross[row - 1]++;
    }
  }
}

function areTwoBlocks(one: Sharer['object'], other: Sharer['object']): boolean {
  return one?.kind === ObjectKind.heap && other?.kind === ObjectKind.heap && one.number !== other.number;
}
