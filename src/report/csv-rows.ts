// Stage: views -> CSV. The rows of CSV: those of the view, unless its definition names others.

import { definitionOf, type AnyView } from '../views/views.js';
import type { Rows } from './json.js';
import { flattenRow } from './csv.js';

/** Rows of path traces are made while they are read, and made anew at each reading. */
export function csvRows(view: Rows & { readonly sampled?: unknown }): Iterable<object> {
  return view.sampled === undefined ? rowsOf(view) : alignRows([...rowsOf(view)]);
}

/** Rows of samples: each interval becomes two columns, and every row gets the columns of all rows. */
function alignRows(rows: readonly object[]): object[] {
  const flat = rows.map((row) => flattenRow(splitIntervals(row) as object));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  return flat.map((row) => Object.fromEntries(names.map((name) => [name, row.get(name) ?? null])));
}

function splitIntervals(value: unknown, isInterval = false): unknown {
  if (isInterval && Array.isArray(value)) return { low: value[0], high: value[1] };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, splitIntervals(part, isInterval || name === 'intervals')]),
  );
}

function rowsOf(view: Rows): Iterable<object> {
  return definitionOf(view.schema)?.csvRows?.(view as AnyView) ?? (view.rows as readonly object[]);
}
