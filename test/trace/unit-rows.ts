// Stage: trace -> plugin. The columns of a unit back to the rows that unit-writer.ts writes.

import type { TableColumns, Unit, UnitColumns } from '../../src/trace/unit.js';

/** In rows these are yes or no. */
const YES_OR_NO: readonly string[] = ['isLoop', 'ends'];

export function rowsOf(unit: UnitColumns): Unit {
  const rows = <Row>({ count, ...columns }: TableColumns<Row>): Row[] =>
    Array.from(
      { length: count },
      (_, row) =>
        Object.fromEntries(
          Object.entries<ArrayLike<unknown>>(columns).map(([name, column]) => {
            if (column.length !== count) throw new Error(`${name} has ${column.length} rows of ${count}`);
            const value = column[row];
            if (name === 'file') return [name, unit.files[value as number]];
            return [name, YES_OR_NO.includes(name) ? value === 1 : value];
          }),
        ) as Row,
    );
  const { source, types, members, variables, functions, slots, records, regions, nodes, edges, positions, calls } =
    unit;
  return {
    source,
    types: rows(types),
    members: rows(members),
    variables: rows(variables),
    functions: rows(functions),
    slots: rows(slots),
    records: rows(records),
    regions: rows(regions),
    nodes: rows(nodes),
    edges: rows(edges),
    refusals: [...unit.refusals],
    positions: rows(positions),
    calls: rows(calls),
    systemFiles: [...unit.systemFiles],
  };
}
