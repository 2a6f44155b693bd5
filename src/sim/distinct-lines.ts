// Stage: replay. How many distinct lines each set of a cache was ever given, for DProf's rule of conflict misses.

export class DistinctLines {
  private readonly perSet = new Map<number, number>();
  private all = 0;

  constructor(
    private readonly sets: number,
    private readonly ways: number,
  ) {}

  /** The first reference to a line of the set by the cores that share the cache. */
  add(set: number): void {
    this.perSet.set(set, (this.perSet.get(set) ?? 0) + 1);
    this.all++;
  }

  /** Whether the set was given more lines than it has ways, and more than twice the average of the other sets. */
  isOverfull(set: number): boolean {
    const lines = this.perSet.get(set) ?? 0;
    return lines > this.ways && lines * (this.sets - 1) > 2 * (this.all - lines);
  }
}
