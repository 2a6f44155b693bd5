// Two replay results as text that is equal when every number is: rows sorted by content, since engines may list them in
// any order.

import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { describeFlow } from './equal-flow.js';

type Columns = Readonly<Record<string, number | ArrayLike<number>>>;

function rows(table: Columns, skip: readonly string[] = []): string[] {
  const names = Object.keys(table)
    .filter((name) => name !== 'count' && !skip.includes(name))
    .sort();
  const count = table.count as number;
  return Array.from({ length: count }, (_, row) =>
    names.map((name) => `${name}=${cell(table[name] as ArrayLike<number>, row, count)}`).join(' '),
  );
}

/** A column may have several numbers for each row. */
function cell(column: ArrayLike<number>, row: number, count: number): string {
  const width = column.length / count;
  return Array.from({ length: width }, (_, at) => column[row * width + at]).join(',');
}

/** Rows that name labels, with what the labels stand for: engines number them as they like. */
function labelledRows(table: Columns, { labels }: ReplayResult): string[] {
  const spell = (label: number): string =>
    `(${labels.kind[label]} ${labels.type[label]} ${labels.allocationSlot[label]} ${labels.sizeBytes[label]})`;
  const isLabel = (name: string): boolean => ['label', 'taker', 'owner'].includes(name);
  const spelled = Object.entries(table).map(([name, column]): [string, number | ArrayLike<number | string>] => [
    name,
    typeof column === 'number' || !isLabel(name) ? column : Array.from(column, spell),
  ]);
  return rows(Object.fromEntries(spelled) as Columns);
}

export function describeResult(result: ReplayResult): string[] {
  const {
    totals,
    tallies,
    sharing,
    objects,
    objectCounters,
    evictions,
    invalidations,
    unusedBytes,
    phases,
    marks,
    callPaths,
    labels,
    flow,
    ...others
  } = result;
  const counters = rows(tallies as unknown as Columns, ['counters']).map((row, index) => {
    const own = COUNTERS.flatMap((name, column) => {
      const count = tallies.counters[index * COUNTERS.length + column];
      return count === 0 ? [] : [`${name}=${count}`];
    });
    return `tally ${row}: ${own.join(' ')}`;
  });
  return [
    ...Object.entries(totals)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `total ${name}=${String(value)}`),
    ...counters.filter((row) => !row.endsWith(': ')).sort(),
    ...rows(sharing as unknown as Columns)
      .map((row) => `sharing ${row}`)
      .sort(),
    ...rows(objectCounters as unknown as Columns)
      .map((row) => `object met ${row}`)
      .sort(),
    ...labelledRows(evictions as unknown as Columns, result)
      .map((row) => `eviction ${row}`)
      .sort(),
    ...labelledRows(invalidations as unknown as Columns, result)
      .map((row) => `invalidation ${row}`)
      .sort(),
    ...labelledRows(unusedBytes as unknown as Columns, result)
      .map((row) => `unused ${row}`)
      .sort(),
    ...(flow === undefined ? [] : describeFlow(flow, labels)),
    ...[callPaths.slot, callPaths.function, callPaths.call].map((column) => `call paths ${[...column].join(' ')}`),
    ...rows(phases as unknown as Columns).map((row, number) => `phase ${number} ${row}`),
    ...rows(marks as unknown as Columns).map((row, number) => `mark ${number} ${row}`),
    ...rows(objects as unknown as Columns).map((row, number) => `object ${number} ${row}`),
    // Whatever an engine says besides: rows in any order.
    ...Object.entries(others as unknown as Record<string, Columns>).flatMap(([name, table]) =>
      typeof table.count === 'number'
        ? labelledRows(table, result)
            .map((row) => `${name} ${row}`)
            .sort()
        : [`${name} ${JSON.stringify(Object.entries(table).sort())}`],
    ),
  ];
}
