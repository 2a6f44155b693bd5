// Stage: stream. The words of --where, on packed columns: which rows of a batch go on.

import type { PackedBatch } from './read-references.js';
import { bytesOfValidity, hasValue, setValid } from './validity.js';
import { PackedColumn, type PackedRows, type PackedValues } from './packed-column.js';
import type { Condition } from './row-filter.js';
import { requireColumns, type ColumnName, type RowFacts } from './stream-columns.js';

/** `columns` are those of batches: the ones that are asked for, and behind them others of conditions. */
export class PackedFilter {
  readonly columns: readonly PackedColumn[];
  readonly asked: readonly PackedColumn[];
  readonly #tests: readonly ((batch: PackedBatch) => (row: number) => boolean)[];

  constructor(asked: readonly ColumnName[], conditions: readonly Condition[], facts: RowFacts) {
    const names = [...new Set([...asked, ...conditions.map(({ column }) => column)])];
    requireColumns(names, facts.catalog);
    this.columns = names.map((name) => new PackedColumn(name, facts));
    this.asked = this.columns.slice(0, asked.length);
    this.#tests = conditions.map(({ column, isTrue }) => {
      const at = names.indexOf(column);
      const { words } = this.columns[at];
      const ofWords = words?.map((word) => isTrue(word));
      const ofNone = isTrue(null);
      return ({ columns: rows }) => {
        const { values, validity } = rows[at];
        return (row) => {
          if (validity !== null && !hasValue(validity, row)) return ofNone;
          return ofWords === undefined ? isTrue(values[row]) : ofWords[values[row] as number];
        };
      };
    });
  }

  /** The rows behind the first ones for which all conditions are true; of the columns that are asked for. */
  async *chosen(batches: AsyncIterable<PackedBatch>, first = 0): AsyncGenerator<PackedBatch> {
    let left = first;
    for await (const batch of batches) {
      yield this.#pass(batch, Math.min(left, batch.count));
      left -= Math.min(left, batch.count);
    }
  }

  #pass(batch: PackedBatch, first: number): PackedBatch {
    const columns = batch.columns.slice(0, this.asked.length);
    if (this.#tests.length === 0 && first === 0) return { count: batch.count, columns };
    const tests = this.#tests.map((of) => of(batch));
    const kept: number[] = [];
    for (let row = first; row < batch.count; row++) if (tests.every((isTrue) => isTrue(row))) kept.push(row);
    return chosenRows({ count: batch.count, columns }, kept);
  }
}

export function chosenRows({ columns }: PackedBatch, kept: readonly number[]): PackedBatch {
  return { count: kept.length, columns: columns.map((rows) => chosenOf(rows, kept)) };
}

function chosenOf({ values, validity }: PackedRows, kept: readonly number[]): PackedRows {
  const own = picked(values, kept);
  if (validity === null) return { values: own, validity };
  const bits = new Uint8Array(bytesOfValidity(kept.length));
  kept.forEach((row, at) => {
    if (hasValue(validity, row)) setValid(bits, at);
  });
  return { values: own, validity: bits };
}

function picked<Values extends PackedValues>(values: Values, kept: readonly number[]): Values {
  const own = values.slice(0, kept.length) as Values;
  kept.forEach((row, at) => void (own[at] = values[row]));
  return own;
}
