// Stage: what-if. Where rows of iterations begin in a stretch of a loop's steps. A run is steps of one record with the
// same strides; a row is a run and those that follow until its record comes again, as a rest does that is not unrolled.
// The specification of engine/placing/row_breaks.h.

import { distanceOf, isSame, type HeldStep } from './held-step.js';

/** Runs of a row. */
const MOST_RUNS = 4;
/** Two steps have a stride, wherever they are. */
const LEAST_LENGTH = 3;

interface Run {
  readonly begin: number;
  readonly record: number;
}

export class RowBreaks {
  private runs: Run[] = [];
  private stride: readonly number[] | null = null;

  /** The stretch goes on with this step; `before`: null if it begins. */
  extend(at: number, step: HeldStep, before: HeldStep | null): void {
    const stride = before?.record === step.record ? distanceOf(before, step) : null;
    const isNew = stride === null || (this.stride !== null && !isSame(stride, this.stride));
    if (isNew) this.runs.push({ begin: at, record: step.record });
    this.stride = isNew ? null : stride;
  }

  /** The stretch ends before `end`: where its rows begin. Unless half of it are rows beside one as long, it is one. */
  rows(end: number): number[] {
    const begins: number[] = [];
    for (let run = 0, count = 0; run < this.runs.length; run += count) {
      begins.push(this.runs[run].begin);
      count = this.runsOfRow(run, count);
    }
    const lengths = begins.map((begin, row) => (begins[row + 1] ?? end) - begin);
    const alike = lengths.filter(
      (length, row) => length >= LEAST_LENGTH && (length === lengths[row - 1] || length === lengths[row + 1]),
    );
    const isRegular = alike.reduce((sum, length) => sum + length, 0) * 2 >= end - begins[0];
    return isRegular ? begins : begins.slice(0, 1);
  }

  /** The next stretch. */
  begin(): void {
    this.runs = [];
    this.stride = null;
  }

  /** Until its record comes again; the last row has as many as the one before, if they are alike. */
  private runsOfRow(run: number, before: number): number {
    const { runs } = this;
    for (let count = 1; count <= MOST_RUNS; count++) if (runs[run + count]?.record === runs[run].record) return count;
    const own = runs.slice(run, run + before);
    const isAlike = own.length > 0 && own.every(({ record }, index) => record === runs[run - before + index].record);
    return isAlike ? own.length : 1;
  }
}
