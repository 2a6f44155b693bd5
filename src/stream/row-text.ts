// Stage: stream -> text. Rows as JSON lines, or as comma-separated values with a head. What a slot says is spelled
// once.

import type { Catalog } from '../contract/catalog.js';
import type { RawColumn, ReferenceRows } from './reference-rows.js';
import type { Condition } from './row-filter.js';
import { STREAM_COLUMNS, type ColumnName, type StreamColumn, type Value } from './stream-columns.js';

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
    private readonly catalog: Catalog,
    private readonly lineBytes: number,
  ) {
    this.pieces = columns.map((name, at) => {
      const before = format === 'csv' ? (at === 0 ? '' : ',') : `${at === 0 ? '{' : ','}"${name}":`;
      return this.of(name, (value) => before + (format === 'csv' ? spellCell(value) : JSON.stringify(value)));
    });
    this.conditions = conditions.map(({ column, isTrue }) => this.of(column, isTrue));
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

  /** `make` of the column's values. */
  private of<Result>(name: ColumnName, make: (value: Value) => Result): OfRow<Result> {
    const { catalog, lineBytes } = this;
    const column: StreamColumn = STREAM_COLUMNS[name];
    if ('needs' in column) {
      const { needs, ofRow } = column;
      return (rows, row) => make(ofRow(rows[needs]![row], lineBytes));
    }
    const made: Result[] = [];
    return ({ slot }, row) => (made[slot[row]] ??= make(column.ofSlot(catalog, slot[row])));
  }
}

/** Rows need these. */
export function neededOf(names: readonly ColumnName[]): Set<RawColumn> {
  return new Set(
    names.flatMap((name) => {
      const column: StreamColumn = STREAM_COLUMNS[name];
      return 'needs' in column ? column.needs : [];
    }),
  );
}

/** RFC 4180; null is empty. */
function spellCell(value: Value): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
