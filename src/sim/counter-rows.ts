// Stage: replay. Rows of counters, all in one column: a reference adds to its row by number.

import { COUNTERS } from '../replay/result.js';
import { grownTo } from './growing-columns.js';

export const WIDTH = COUNTERS.length;

export class CounterRows {
  /** Row by row; a row's first is its number times WIDTH. Another array after `take`. */
  values = new Float64Array(0);
  private count = 0;
  private readonly spare: number[] = [];

  /** A row of zeros. */
  take(): number {
    const row = this.spare.pop() ?? this.count++;
    this.values = grownTo(this.values, (row + 1) * WIDTH - 1);
    return row;
  }

  /** Adds the row to another and gives it back. */
  pour(row: number, into: number): void {
    const { values } = this;
    for (let counter = 0; counter < WIDTH; counter++) values[into * WIDTH + counter] += values[row * WIDTH + counter];
    values.fill(0, row * WIDTH, (row + 1) * WIDTH);
    this.spare.push(row);
  }

  /** Nobody has a row any more. */
  restart(): void {
    this.values.fill(0);
    this.count = this.spare.length = 0;
  }

  copy(row: number): Float64Array {
    return this.values.subarray(row * WIDTH, (row + 1) * WIDTH);
  }
}
