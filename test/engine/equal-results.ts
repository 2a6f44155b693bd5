// Whether two replay results are equal, number for number, in whatever order an engine lists rows; quick, for very many
// small results. What differs is for compare-results.ts to say.

import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { describeResult } from './compare-results.js';
import { describeFlow } from './equal-flow.js';

type Column = ArrayLike<number | string>;
type Table = Readonly<Record<string, number | Column>>;

/** Columns that name labels. */
const LABELS: readonly string[] = ['label', 'taker', 'owner'];
/** Rows of which are numbered: their order is a number too. */
const NUMBERED: readonly string[] = ['objects', 'phases', 'marks', 'callPaths'];

const meanings = new Map<string, number>();

/** Engines number labels as they like: what stands for the same has one number here. */
function byMeaning(result: ReplayResult): Readonly<Record<string, Table>> {
  const { labels, flow: _, ...tables } = result;
  const number = (label: number): number => {
    const meaning =
      `${labels.kind[label]} ${labels.type[label]} ${labels.allocationSlot[label]} ` + `${labels.sizeBytes[label]}`;
    if (!meanings.has(meaning)) meanings.set(meaning, meanings.size);
    return meanings.get(meaning)!;
  };
  const named = (table: Table): Table =>
    Object.fromEntries(
      Object.entries(table).map(([name, column]) => [
        name,
        LABELS.includes(name) && typeof column !== 'number' ? Array.from(column as ArrayLike<number>, number) : column,
      ]),
    );
  return Object.fromEntries(
    Object.entries(tables as unknown as Record<string, Table>).map(([name, table]) => [name, named(table)]),
  );
}

/** Whatever tables a result has, all their columns are compared. */
function areEqual(a: ReplayResult, b: ReplayResult): boolean {
  const [left, right] = [a, b].map(byMeaning);
  const names = Object.keys(left);
  if (spellFlow(a) !== spellFlow(b)) return false;
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    if (right[name] === undefined) return false;
    if (typeof left[name].count !== 'number')
      return JSON.stringify(sorted(left[name])) === JSON.stringify(sorted(right[name]));
    return areTablesEqual(left[name], right[name], NUMBERED.includes(name));
  });
}

/** Rows of what differs, those of `b` behind those of `a`; empty if nothing does. */
export function differences(a: ReplayResult, b: ReplayResult, nameOfA: string, nameOfB: string): string[] {
  if (areEqual(a, b)) return [];
  const [left, right] = [describeResult(a), describeResult(b)];
  const [known, found] = [new Set(left), new Set(right)];
  const rows = [
    ...left.filter((row) => !found.has(row)).map((row) => `${nameOfA}: ${row}`),
    ...right.filter((row) => !known.has(row)).map((row) => `${nameOfB}: ${row}`),
  ];
  return rows.length > 0 || left.length === right.length
    ? rows
    : [`${nameOfA}: ${left.length} rows, ${nameOfB}: ${right.length}`];
}

function spellFlow({ flow, labels }: ReplayResult): string {
  return flow === undefined ? '' : describeFlow(flow, labels).join('\n');
}

const sorted = (table: object): [string, unknown][] => Object.entries(table).sort(([x], [y]) => (x < y ? -1 : 1));

function areTablesEqual(a: Table, b: Table, isNumbered: boolean): boolean {
  const names = Object.keys(a).filter((name) => name !== 'count');
  const [rowsA, rowsB] = [a, b].map((table) => rowsOf(table, names));
  if (!isNumbered) [rowsA, rowsB].forEach((rows) => rows.sort((x, y) => x.hash - y.hash));
  if (rowsA.length !== rowsB.length) return false;
  return rowsA.every(({ row, hash }, index) => {
    const other = rowsB[index];
    if (hash !== other.hash) return false;
    return names.every((name) => {
      const [columnA, columnB] = [a[name] as Column, b[name] as Column];
      const width = a.count === 0 ? 0 : columnA.length / (a.count as number);
      for (let at = 0; at < width; at++)
        if (columnA[row * width + at] !== columnB[other.row * width + at]) return false;
      return true;
    });
  });
}

/** Rows of counters that never counted are none: an engine may leave them out. */
function rowsOf(table: Table, names: readonly string[]): { row: number; hash: number }[] {
  const rows: { row: number; hash: number }[] = [];
  const count = table.count as number;
  for (let row = 0; row < count; row++) {
    if (table.counters !== undefined && isZero(table.counters as Column, row * COUNTERS.length)) continue;
    let hash = 0;
    for (const name of names) {
      const column = table[name] as Column;
      const width = column.length / count;
      for (let at = row * width; at < (row + 1) * width; at++) {
        const value = column[at];
        hash = Math.imul(hash ^ (typeof value === 'number' ? value | 0 : value.length), 0x9e3779b1);
        hash ^= hash >>> 15;
      }
    }
    rows.push({ row, hash });
  }
  return rows;
}

function isZero(counters: Column, from: number): boolean {
  for (let at = from; at < from + COUNTERS.length; at++) if (counters[at] !== 0) return false;
  return true;
}
