// Stage: profile -> views. Bytes that were fetched into an L1 and never used before the line left it: per type, and
// under it per field.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { byMissesThenName } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';

export interface UnusedBytesRow {
  readonly type: string;
  /** null: the whole type, its fields included; field rows follow it and sum up to at most its numbers. */
  readonly field: string | null;
  readonly fetchedBytes: number;
  readonly unusedBytes: number;
}

export interface UnusedBytes extends View<UnusedBytesRow> {
  /** Of the whole run. */
  readonly sums: { readonly fetchedBytes: number; readonly unusedBytes: number };
}

/** Most unused bytes first, then by name. */
export function buildUnusedBytes(profile: Profile): UnusedBytes {
  const { unusedBytes: columns, types, strings } = profile;
  const wholes = new Map<number, { fetchedBytes: number; unusedBytes: number; fields: UnusedBytesRow[] }>();
  columns.type.forEach((type, row) => {
    let whole = wholes.get(type);
    if (whole === undefined) wholes.set(type, (whole = { fetchedBytes: 0, unusedBytes: 0, fields: [] }));
    const bytes = { fetchedBytes: columns.fetchedBytes[row], unusedBytes: columns.unusedBytes[row] };
    whole.fetchedBytes += bytes.fetchedBytes;
    whole.unusedBytes += bytes.unusedBytes;
    if (columns.field[row] !== NO_INDEX)
      whole.fields.push({ type: strings[types.name[type]], field: strings[columns.field[row]], ...bytes });
  });
  const compare = (a: UnusedBytesRow, b: UnusedBytesRow): number =>
    byMissesThenName(a.unusedBytes, a.field ?? a.type, b.unusedBytes, b.field ?? b.type);
  const rows = [...wholes]
    .map(([type, { fetchedBytes, unusedBytes, fields }]) => ({
      row: { type: strings[types.name[type]], field: null, fetchedBytes, unusedBytes },
      fields,
    }))
    .sort((a, b) => compare(a.row, b.row))
    .flatMap(({ row, fields }) => [row, ...fields.sort(compare)]);
  const sum = (column: Float64Array): number => column.reduce((total, bytes) => total + bytes, 0);
  const { rows: listed, ...view } = wrapRows(profile, 'unused-bytes', rows);
  return {
    ...view,
    sums: { fetchedBytes: sum(columns.fetchedBytes), unusedBytes: sum(columns.unusedBytes) },
    rows: listed,
  };
}
