// Stage: trace -> what-if. CachePerf's rule for conflicts: of an instruction's misses, so many at a time, whether many
// are on one set. The specification of engine/placing/miss_windows.h.

import { NO_INDEX } from '../base/ids.js';
import type { CacheperfCounts, CacheperfRequest } from './cacheperf-columns.js';

interface Miss {
  readonly set: number;
  /** As of `miss`. */
  readonly block: number;
}

export class MissWindows {
  /** By row, slot and thread: the misses of the window that is under way. */
  private readonly open = new Map<string, Miss[]>();

  constructor(
    private readonly request: Pick<CacheperfRequest, 'sets' | 'window' | 'crowd'>,
    private readonly counts: CacheperfCounts,
  ) {}

  /** `block`: the number of the heap object; NO_INDEX: none. */
  miss(row: number, slot: number, thread: number, line: number, block: number): void {
    const { sets, window } = this.request;
    const key = `${row} ${slot} ${thread}`;
    let misses = this.open.get(key);
    if (misses === undefined) this.open.set(key, (misses = []));
    misses.push({ set: line % sets, block });
    if (misses.length < window) return;
    this.judge(row, misses);
    misses.length = 0;
  }

  private judge(row: number, misses: readonly Miss[]): void {
    const { counts } = this;
    const crowd = mostOnOneSet(misses);
    counts.windows[row]++;
    if (crowd.length < this.request.crowd) return;
    counts.conflicts[row]++;
    const blocks = new Set(crowd.map(({ block }) => block).filter((block) => block !== NO_INDEX));
    if (blocks.size > 1) counts.conflictsAcross[row]++;
  }
}

/** Of equals, those of the lower set. */
function mostOnOneSet(misses: readonly Miss[]): readonly Miss[] {
  const bySet = new Map<number, Miss[]>();
  for (const miss of misses) bySet.set(miss.set, [...(bySet.get(miss.set) ?? []), miss]);
  const [[, most]] = [...bySet].sort(([a, one], [b, other]) => other.length - one.length || a - b);
  return most;
}
