// Two replay results as text that is equal when every number is: rows sorted by content, since engines may list them in any order.

import { COUNTERS, type ReplayResult } from '../../src/replay/result.js';

type Columns = Readonly<Record<string, number | ArrayLike<number>>>;

function rows(table: Columns, skip: readonly string[] = []): string[] {
  const names = Object.keys(table).filter((name) => name !== 'count' && !skip.includes(name)).sort();
  const count = table.count as number;
  return Array.from({ length: count }, (_, row) => names.map((name) => `${name}=${(table[name] as ArrayLike<number>)[row]}`).join(' '));
}

export function describeResult({ totals, tallies, sharing, objects, phases, callPaths }: ReplayResult): string[] {
  const counters = rows(tallies as unknown as Columns, ['counters']).map((row, index) => {
    const own = COUNTERS.flatMap((name, column) => {
      const count = tallies.counters[index * COUNTERS.length + column];
      return count === 0 ? [] : [`${name}=${count}`];
    });
    return `tally ${row}: ${own.join(' ')}`;
  });
  return [
    ...Object.entries(totals).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `total ${name}=${String(value)}`),
    ...counters.filter((row) => !row.endsWith(': ')).sort(),
    ...rows(sharing as unknown as Columns).map((row) => `sharing ${row}`).sort(),
    `call paths ${[...callPaths.function].join(' ')}`,
    ...rows(phases as unknown as Columns).map((row, number) => `phase ${number} ${row}`),
    ...rows(objects as unknown as Columns).map((row, number) => `object ${number} ${row}`),
  ];
}
