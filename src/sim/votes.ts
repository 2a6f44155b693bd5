// Stage: replay. The votes of an object's references for its type: most come in rows for the same one.

export class Votes {
  private type = 0;
  private count = 0;
  private readonly others = new Map<number, number>();

  cast(type: number): void {
    if (type !== this.type) {
      this.putAside();
      this.type = type;
    }
    this.count++;
  }

  /** References by struct type of their slot. */
  counts(): ReadonlyMap<number, number> {
    this.putAside();
    return this.others;
  }

  private putAside(): void {
    if (this.count > 0) this.others.set(this.type, (this.others.get(this.type) ?? 0) + this.count);
    this.count = 0;
  }
}
