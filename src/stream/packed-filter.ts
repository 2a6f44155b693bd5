// Stage: stream. The words of --where, on packed columns: which rows of a batch go on.

import type { PackedBatch } from './read-references.js';
import type { PackedColumn, PackedRows } from './packed-column.js';
import type { Condition } from './row-filter.js';

/** `columns`: of the batches, those of all conditions among them. */
export class PackedFilter {
  readonly #tests: readonly ((batch: PackedBatch) => (row: number) => boolean)[];

  constructor(conditions: readonly Condition[], columns: readonly PackedColumn[]) {
    this.#tests = conditions.map(({ column, isTrue }) => {
      const at = columns.findIndex(({ name }) => name === column);
      const { words } = columns[at];
      const ofWords = words?.map((word) => isTrue(word));
      const ofNone = isTrue(null);
      return ({ columns: rows }) => {
        const { values, validity } = rows[at];
        return (row) => {
          if (validity !== null && !hasValue(validity, row)) return ofNone;
          return ofWords === undefined ? isTrue(values[row]) : ofWords[values[row]];
        };
      };
    });
  }

  /** The rows for which all conditions are true; of the first `most` columns. */
  pass(batch: PackedBatch, most: number): PackedBatch {
    const columns = batch.columns.slice(0, most);
    if (this.#tests.length === 0) return { count: batch.count, columns };
    const tests = this.#tests.map((of) => of(batch));
    const kept: number[] = [];
    for (let row = 0; row < batch.count; row++) if (tests.every((isTrue) => isTrue(row))) kept.push(row);
    return { count: kept.length, columns: columns.map((rows) => chosen(rows, kept)) };
  }
}

export function hasValue(validity: Uint8Array, row: number): boolean {
  return ((validity[row >> 3] >> (row & 7)) & 1) === 1;
}

function chosen({ values, validity }: PackedRows, kept: readonly number[]): PackedRows {
  const own = values.slice(0, kept.length);
  kept.forEach((row, at) => void (own[at] = values[row]));
  if (validity === null) return { values: own, validity };
  const bits = new Uint8Array(Math.ceil(kept.length / 64) * 8);
  kept.forEach((row, at) => {
    if (hasValue(validity, row)) bits[at >> 3] |= 1 << (at & 7);
  });
  return { values: own, validity: bits };
}
