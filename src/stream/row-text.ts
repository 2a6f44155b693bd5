// Stage: stream -> text. Rows as JSON lines, or as comma-separated values with a head. Words are spelled once.

import { quoteCell } from '../base/csv-line.js';
import type { PackedColumn, PackedRows } from './packed-column.js';
import { hasValue } from './validity.js';
import type { PackedBatch } from './read-references.js';

export const ROW_FORMATS = ['jsonl', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

export class RowText {
  private readonly pieces: readonly ((rows: PackedRows) => (row: number) => string)[];

  constructor(
    private readonly columns: readonly PackedColumn[],
    private readonly format: RowFormat,
  ) {
    this.pieces = columns.map(({ name, words }, at) => {
      const before = format === 'csv' ? (at === 0 ? '' : ',') : `${at === 0 ? '{' : ','}"${name}":`;
      const ofWords = words?.map((word) => before + (format === 'csv' ? quoteCell(word) : JSON.stringify(word)));
      // JSON's readers make doubles of numbers.
      const spellNumber = (value: number | bigint): number | bigint | string =>
        format === 'jsonl' && value > Number.MAX_SAFE_INTEGER ? `"${value}"` : value;
      const ofNone = format === 'csv' ? before : `${before}null`;
      return ({ values, validity }) =>
        (row) => {
          if (validity !== null && !hasValue(validity, row)) return ofNone;
          const value = values[row];
          return ofWords === undefined ? before + spellNumber(value) : ofWords[value as number];
        };
    });
  }

  /** Stands before all rows. */
  get head(): string {
    return this.format === 'csv' ? `${this.columns.map(({ name }) => name).join(',')}\n` : '';
  }

  spell({ count, columns }: PackedBatch): string {
    const pieces = this.pieces.map((of, at) => of(columns[at]));
    const end = this.format === 'csv' ? '\n' : '}\n';
    let text = '';
    for (let row = 0; row < count; row++) {
      for (const piece of pieces) text += piece(row);
      text += end;
    }
    return text;
  }
}
