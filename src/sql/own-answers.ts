// Stage: SQL. Statements that DuckDB cannot answer well, as ones that it can: `show tables` knows tables that are not
// made yet, and `describe refs` says what the columns are.

import { COLUMN_NAMES, STREAM_COLUMNS } from '../stream/stream-columns.js';
import { quoteText } from './duckdb.js';
import { PROFILE_TABLES, viewCalled } from './profile-tables.js';

const ABOUT: Readonly<Record<string, string>> = {
  refs: 'every reference; streamed when a query scans it',
  events: 'allocations, calls, synchronisation, threads, marks; streamed',
  allocations: 'objects of the heap',
  objects: 'every object that lived',
  types: 'types of the program that were met',
  sites: 'source positions',
};

const TYPES = { words: 'VARCHAR', u16: 'USMALLINT', u32: 'UINTEGER', u53: 'UBIGINT', u64: 'UBIGINT' } as const;

function tables(): string {
  const views = PROFILE_TABLES.filter((name) => ABOUT[name] === undefined);
  const all = [
    ...Object.entries(ABOUT),
    ...views.map((name) => [name, `the view ${viewCalled(name)}, as its CSV has it`]),
  ];
  return valuesOf(all, 'name, about');
}

function columnsOfRefs(): string {
  const all = COLUMN_NAMES.map((name) => [name, TYPES[STREAM_COLUMNS[name].kind], STREAM_COLUMNS[name].about]);
  return valuesOf(all, 'column_name, column_type, about');
}

function valuesOf(rows: readonly (readonly string[])[], columns: string): string {
  return `from (values ${rows.map((row) => `(${row.map(quoteText).join(', ')})`).join(', ')}) as tables(${columns})`;
}

/** Whole statements. */
const OWN: readonly (readonly [pattern: RegExp, answer: () => string])[] = [
  [/(?<=^|;)\s*show\s+(all\s+)?tables\s*(?=;|$)/gi, tables],
  [/(?<=^|;)\s*(describe|desc|show)\s+(table\s+)?"?refs"?\s*(?=;|$)/gi, columnsOfRefs],
];

export function withOwnAnswers(text: string): string {
  return OWN.reduce((asked, [pattern, answer]) => asked.replace(pattern, answer), text);
}
