// Stage: replay. A sum of whole numbers that stays exact beyond 2^53: it is rounded once, when it is read.

const LOW_LIMIT = 2 ** 52;

export class ExactSum {
  private low = 0;
  private high = 0n;

  /** `value`: whole, below 2^53. */
  add(value: number): void {
    if (value >= LOW_LIMIT) this.high += BigInt(value);
    else if ((this.low += value) >= LOW_LIMIT) {
      this.high += BigInt(this.low);
      this.low = 0;
    }
  }

  addAll(other: ExactSum): void {
    this.high += other.high;
    this.add(other.low);
  }

  /** Rounded to the nearest, ties to even. */
  get value(): number {
    return this.high === 0n ? this.low : Number(this.high + BigInt(this.low));
  }
}
