// Stage: profile -> views. Bytes that were fetched into an L1 and never used before the line left it: per type, and
// under it per field.

import { formatCount } from '../base/format-number.js';
import { column, count, share, type Column } from './columns.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { byMissesThenName } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';
import { nestFields, type ViewDefinition } from './view-definition.js';

export interface UnusedBytesRow {
  readonly type: string;
  /** null: the whole type, its fields included; field rows follow it and sum up to at most its numbers. */
  readonly field: string | null;
  readonly fetchedBytes: number;
  readonly unusedBytes: number;
}

export interface UnusedBytes extends View<UnusedBytesRow> {
  /** The sums of the whole run. */
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

const FIELDS_PER_TYPE = 6;

function unusedColumns({ sums: { fetchedBytes, unusedBytes } }: UnusedBytes): Column<UnusedBytesRow>[] {
  return [
    column(
      'name',
      'type',
      'type and field',
      ({ type, field }: UnusedBytesRow) => (field === null ? type : `  ${field}`),
      {
        brief: 'type',
        shortest: 20,
        all: 'all types',
      },
    ),
    count('unused bytes', 'unusedBytes', { all: unusedBytes }),
    column(
      'share',
      'unusedBytes/sums.unusedBytes',
      'of all',
      (row: UnusedBytesRow) => ({ part: row.unusedBytes, whole: unusedBytes }),
      {
        meaning: `of ${formatCount(unusedBytes)} unused bytes.`,
        expendable: 1,
        all: { part: unusedBytes, whole: unusedBytes },
      },
    ),
    share(
      'of fetched',
      'unusedBytes',
      { paths: ['fetchedBytes'] },
      {
        meaning: "of the row's fetched bytes.",
        all: { part: unusedBytes, whole: fetchedBytes },
      },
    ),
    count('fetched bytes', 'fetchedBytes', { expendable: 2, all: fetchedBytes }),
  ];
}

export const unusedBytes: ViewDefinition<UnusedBytes> = {
  build: buildUnusedBytes,
  // Struct layout shows it by member.
  inReport: 'no page',
  filters: ['type', 'field', 'minShare'],
  columns: unusedColumns,
  shareOf: (row, { sums }) => row.unusedBytes / (sums.unusedBytes || Infinity),
  table(view, top) {
    const types = view.rows.filter((row) => row.field === null);
    return {
      title: 'unused bytes: fetched into an L1, and left without any reference to them',
      columns: unusedColumns(view),
      lines: nestFields(types.slice(0, top), view.rows, (row) => row.unusedBytes > 0, {
        most: FIELDS_PER_TYPE,
        countsLeft: (left) => `  … ${formatCount(left)} more`,
      }),
      hasAll: true,
      empty: 'no line was fetched',
      notes: [
        `${Math.min(top, types.length)} of ${formatCount(types.length)} types; a byte belongs to what lay ` +
          'there when its line left.',
      ],
    };
  },
};
