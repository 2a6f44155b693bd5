// Stage: replay. Rows of plain objects to a table of the result, by the description of its columns.

import { freezeRows, type Columns, type ResultTable, type RowOf } from '../base/table-description.js';

/** A row may have more than the columns. */
export function tableOf<C extends Columns>(rows: readonly RowOf<C>[], columns: C): ResultTable<C> {
  return { count: rows.length, ...freezeRows(columns, rows) };
}
