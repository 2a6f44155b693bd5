// Stage: stream -> text. Rows as JSON lines, or as comma-separated values with a head.

import type { Catalog } from '../contract/catalog.js';
import type { RawColumn, ReferenceRows } from './reference-rows.js';
import type { Condition } from './row-filter.js';
import { STREAM_COLUMNS, type ColumnName, type StreamColumn, type Value } from './stream-columns.js';

export const ROW_FORMATS = ['jsonl', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

type ValueOf = (rows: ReferenceRows, row: number) => Value;

export class RowText {
  private readonly values: readonly ValueOf[];
  private readonly conditions: readonly (readonly [ValueOf, Condition['isTrue']])[];

  constructor(
    private readonly columns: readonly ColumnName[],
    conditions: readonly Condition[],
    private readonly format: RowFormat,
    catalog: Catalog,
    lineBytes: number,
  ) {
    const made = new Map<ColumnName, ValueOf>();
    const valueOf = (name: ColumnName): ValueOf => {
      const column: StreamColumn = STREAM_COLUMNS[name];
      const own = made.get(name) ?? column.of(catalog, lineBytes);
      made.set(name, own);
      return own;
    };
    this.values = columns.map(valueOf);
    this.conditions = conditions.map(({ column, isTrue }) => [valueOf(column), isTrue]);
  }

  /** What stands before all rows. */
  get head(): string {
    return this.format === 'csv' ? `${this.columns.join(',')}\n` : '';
  }

  /** Those that all conditions let through. */
  of(rows: ReferenceRows): string {
    const { columns, conditions, values, format } = this;
    let text = '';
    for (let row = 0; row < rows.count; row++) {
      if (!conditions.every(([valueOf, isTrue]) => isTrue(valueOf(rows, row)))) continue;
      const own = values.map((valueOf) => valueOf(rows, row));
      text +=
        format === 'csv'
          ? `${own.map(spellCell).join(',')}\n`
          : `{${own.map((value, at) => `"${columns[at]}":${JSON.stringify(value)}`).join(',')}}\n`;
    }
    return text;
  }
}

/** Rows need these. */
export function neededOf(names: readonly ColumnName[]): Set<RawColumn> {
  return new Set(
    names.flatMap((name) => {
      const { needs }: StreamColumn = STREAM_COLUMNS[name];
      return needs ?? [];
    }),
  );
}

/** RFC 4180; null is empty. */
function spellCell(value: Value): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
