// Stage: trace -> what-if. The L1 of one thread for CachePerf's rule: true LRU, and no other thread takes lines out of
// it. The specification of engine/placing/private_cache.h.

export class PrivateCache {
  /** By set: the newest first. */
  private readonly lines: number[][];

  constructor(
    sets: number,
    private readonly ways: number,
  ) {
    this.lines = Array.from({ length: sets }, () => []);
  }

  /** Whether a reference to the line misses. Then the line is filled. */
  misses(line: number): boolean {
    const own = this.lines[line % this.lines.length];
    const at = own.indexOf(line);
    if (at >= 0) own.splice(at, 1);
    own.unshift(line);
    if (own.length > this.ways) own.pop();
    return at < 0;
  }
}
