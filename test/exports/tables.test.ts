// Stage: test. CSV and Parquet of every view, read by DuckDB: each cell is the JSON's.

import { writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { EXPORT_FORMATS } from '../../src/exports/formats.js';
import { MEASURES } from '../../src/exports/samples.js';
import { writeParquet } from '../../src/exports/parquet.js';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { flattenRow } from '../../src/report/csv.js';
import type { View } from '../../src/views/view.js';
import { buildView, viewsOf, type ViewName } from '../../src/views/views.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { asUtf8, join, PROFILES } from './hostile-profile.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';

const folder = makeTemporaryFolder('exports');
let database: DuckDBConnection;

beforeAll(async () => {
  database = await (await DuckDBInstance.create(':memory:')).connect();
});

async function query(sql: string): Promise<Record<string, unknown>[]> {
  return (await database.runAndReadAll(sql)).getRowObjects() as Record<string, unknown>[];
}

/** As a table has it: numbers and texts, null for nothing. */
function cell(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' ? asUtf8(value) : value;
}

function cellsOf(row: object): Record<string, unknown> {
  return Object.fromEntries([...flattenRow(row)].map(([name, value]) => [name, cell(value)]));
}

describe.each(PROFILES)('%s', (_, alone) => {
  const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };
  const write = (format: string, view: ViewName, by?: 'function' | 'line' | 'object'): string => {
    const path = joinPath(folder, `${view}.${format}`);
    writeFileSync(path, join(EXPORT_FORMATS[format].write(profile, { view, measure: MEASURES[0], options: { by } })));
    return path;
  };

  test.each(viewsOf(profile))('Parquet of %s', async (view) => {
    const rows = await query(`select * from read_parquet('${write('parquet', view)}')`);
    const expected = [...csvRows(buildView(profile, view, {}) as View<unknown>)].map(cellsOf);
    expect(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]))),
    ).toEqual(expected);
  });

  test.each(viewsOf(profile))('CSV of %s', async (view) => {
    const rows = await query(
      `select * from read_csv('${write('csv', view)}', all_varchar = true, header = true, delim = ',', quote = ` +
        `'"', escape = '"', strict_mode = true, nullstr = 'no text is null', new_line = '\\n', max_line_size = ` +
        '1000000)',
    );
    const expected = [...csvRows(buildView(profile, view, {}) as View<unknown>)].map((row) =>
      Object.fromEntries(
        Object.entries(cellsOf(row)).map(([name, value]) => [name, value === null ? '' : String(value)]),
      ),
    );
    expect(rows).toEqual(expected);
  });

  test.each(['function', 'line', 'object'] as const)(
    'Parquet of misses by %s, with what else the JSON says as metadata',
    async (by) => {
      const path = write('parquet', 'miss-classification', by);
      const view = buildView(profile, 'miss-classification', { by });
      expect(
        await query(`select sum("levels.l1.misses")::bigint as misses, count(*) as lines from read_parquet('${path}')`),
      ).toEqual([{ misses: BigInt(view.totals.levels.l1.misses!), lines: BigInt(view.rows.length) }]);
      const [{ value }] = await query(
        `select decode(value) as value from parquet_kv_metadata('${path}') where decode(key) = 'dprof'`,
      );
      const { rows: __, ...envelope } = view;
      expect(JSON.parse(value as string)).toEqual(JSON.parse(asUtf8(JSON.stringify(envelope))));
    },
  );
});

test('columns have types that hold them: whole numbers, fractions, flags, texts, and nothing at all', async () => {
  const path = joinPath(folder, 'types.parquet');
  const rows = [
    { whole: 2 ** 53 - 1, part: 1.5, flag: true, text: 'a', list: [1, 2], mixed: 1, none: null },
    { whole: null, part: 2, flag: null, text: null, list: [], mixed: 'x', none: null, late: 1 },
  ];
  writeFileSync(path, join(writeParquet(rows, {})));
  expect(await query(`select column_name, column_type from (describe select * from read_parquet('${path}'))`)).toEqual(
    [
      ['whole', 'BIGINT'],
      ['part', 'DOUBLE'],
      ['flag', 'BOOLEAN'],
      ['text', 'VARCHAR'],
      ['list', 'VARCHAR'],
      ['mixed', 'VARCHAR'],
      ['none', 'VARCHAR'],
      ['late', 'BIGINT'],
    ].map(([column_name, column_type]) => ({ column_name, column_type })),
  );
  expect(await query(`select whole, part, text, late from read_parquet('${path}')`)).toEqual([
    { whole: 2n ** 53n - 1n, part: 1.5, text: 'a', late: null },
    { whole: null, part: 2, text: null, late: 1n },
  ]);
});

test('a view without rows is a file without rows', async () => {
  const path = joinPath(folder, 'empty.parquet');
  writeFileSync(path, join(writeParquet([], {})));
  expect(await query(`select count(*) as lines from read_parquet('${path}')`)).toEqual([{ lines: 0n }]);
});
