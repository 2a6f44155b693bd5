// Stage: replay. A fully associative LRU cache, which is shown every reference of the cores that share a cache: it
// tells conflict from capacity.

export class IdealLru {
  /** The lines used last; a Set keeps the order in which they were put in. */
  private readonly lines = new Set<number>();
  /** Goes on where it stopped: what it passed has left, or was put in again behind it. */
  private readonly oldest = this.lines.values();

  constructor(private readonly lineCount: number) {}

  /** Shows it a reference; returns whether it held the line. */
  touch(line: number): boolean {
    const isHit = this.lines.delete(line);
    this.lines.add(line);
    if (this.lines.size > this.lineCount) this.lines.delete(this.oldest.next().value!);
    return isHit;
  }
}
