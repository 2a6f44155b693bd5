// Stage: trace -> replay. Releases of one thread on one object, by key: the front ones issued with the clock they had,
// the others only scouted. A thread issues in order and its clock never falls, so the last release below a key answers
// for all before it.

export const NOT_ISSUED = -1;

export interface Waiter {
  /** Releases that it still waits for. */
  waitsFor: number;
}

export interface Release {
  readonly key: bigint;
  readonly thread: number;
  /** The thread's clock when it was issued, or NOT_ISSUED. */
  clock: number;
  /** Threads that wait for it to be issued. */
  waiters: Waiter[] | null;
}

const PRUNE_AT = 64;

export class ReleaseLane {
  private releases: Release[] = [];
  private pruneAt = PRUNE_AT;

  push(release: Release): void {
    this.releases.push(release);
  }

  /** The last release with a key below `key`. */
  lastBelow(key: bigint): Release | undefined {
    const { releases } = this;
    let low = 0;
    let high = releases.length;
    if (high > 0 && releases[high - 1].key < key) return releases[high - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (releases[middle].key < key) low = middle + 1;
      else high = middle;
    }
    return releases[low - 1];
  }

  get isLong(): boolean {
    return this.releases.length > this.pruneAt;
  }

  /** Forgets what no acquire of key `floor` or above can tell from a later release. */
  prune(floor: bigint): void {
    const last = this.lastBelow(floor);
    if (last) this.releases.splice(0, this.releases.indexOf(last));
    this.pruneAt = Math.max(PRUNE_AT, 2 * this.releases.length);
  }
}
