// Stage: views -> exports. A view's rows as columns, named and flattened as in its CSV; all may be null.

import { flattenRow } from '../report/csv.js';

export type RowKind = 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'STRING';

export interface RowColumn {
  readonly name: string;
  /** Whole numbers are INT64, others DOUBLE. */
  readonly kind: RowKind;
  readonly values: readonly (bigint | number | boolean | string | null)[];
}

export function columnsOf(rows: Iterable<object>): RowColumn[] {
  const columns = new Map<string, unknown[]>();
  let count = 0;
  for (const row of rows) {
    for (const [name, value] of flattenRow(row)) {
      let column = columns.get(name);
      if (column === undefined) columns.set(name, (column = []));
      column[count] = value ?? null;
    }
    count++;
  }
  return [...columns].map(([name, sparse]) => {
    const values = Array.from({ length: count }, (_, row) => sparse[row] ?? null);
    const kind = kindOf(values);
    return { name: wellFormed(name), kind, values: values.map((value) => convert(value, kind)) };
  });
}

function kindOf(values: readonly unknown[]): RowKind {
  const known = values.filter((value) => value !== null);
  if (known.length > 0 && known.every((value) => typeof value === 'number'))
    return known.every(Number.isSafeInteger) ? 'INT64' : 'DOUBLE';
  return known.length > 0 && known.every((value) => typeof value === 'boolean') ? 'BOOLEAN' : 'STRING';
}

/** A value of a column of that kind. */
export function convert(value: unknown, kind: RowKind): bigint | number | boolean | string | null {
  if (value === null) return null;
  if (kind === 'INT64') return BigInt(value as number);
  return kind === 'STRING' ? wellFormed(String(value)) : (value as number | boolean);
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}
