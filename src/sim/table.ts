// Stage: replay. Rows of plain objects to the columns of a result's table.

interface ColumnType {
  readonly prototype: { readonly length: number };
  new (values: number[]): { readonly length: number };
}

/** `columns`: the type of each column, by the name that it has in rows too. */
export function tableOf<Columns extends Readonly<Record<string, ColumnType>>>(
  rows: readonly Readonly<Record<keyof Columns, number>>[],
  columns: Columns,
): { readonly count: number } & { readonly [Name in keyof Columns]: Columns[Name]['prototype'] } {
  const built = Object.entries(columns).map(([name, Column]) => [name, new Column(rows.map((row) => row[name]))]);
  return Object.assign(Object.fromEntries(built) as { [Name in keyof Columns]: Columns[Name]['prototype'] }, {
    count: rows.length,
  });
}
