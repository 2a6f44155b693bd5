// Stage: stream -> text. Rows as JSON lines, or as comma-separated values with a head. What a slot says is spelled
// once.

import type { ReferenceRows } from './reference-rows.js';
import type { Condition } from './row-filter.js';
import { eachValue } from './row-values.js';
import type { ColumnName, RowFacts, Value } from './stream-columns.js';

export const ROW_FORMATS = ['jsonl', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

type OfRow<Result> = (rows: ReferenceRows, row: number) => Result;

export class RowText {
  private readonly pieces: readonly OfRow<string>[];
  private readonly conditions: readonly OfRow<boolean>[];

  constructor(
    private readonly columns: readonly ColumnName[],
    conditions: readonly Condition[],
    private readonly format: RowFormat,
    facts: RowFacts,
  ) {
    this.pieces = columns.map((name, at) => {
      const before = format === 'csv' ? (at === 0 ? '' : ',') : `${at === 0 ? '{' : ','}"${name}":`;
      return eachValue(name, facts, (value) => before + (format === 'csv' ? spellCell(value) : JSON.stringify(value)));
    });
    this.conditions = conditions.map(({ column, isTrue }) => eachValue(column, facts, isTrue));
  }

  /** What stands before all rows. */
  get head(): string {
    return this.format === 'csv' ? `${this.columns.join(',')}\n` : '';
  }

  /** Those that all conditions let through. */
  spell(rows: ReferenceRows): string {
    const { conditions, pieces } = this;
    const end = this.format === 'csv' ? '\n' : '}\n';
    let text = '';
    for (let row = 0; row < rows.count; row++) {
      if (!conditions.every((isTrue) => isTrue(rows, row))) continue;
      for (const piece of pieces) text += piece(rows, row);
      text += end;
    }
    return text;
  }
}

/** RFC 4180; null is empty. */
function spellCell(value: Value): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
