// Parquet files that are joined are read as the rows of the first, then those of the second, and so on.

import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parquetMetadata } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinParquet } from '../../src/sql/join-parquet.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-join-'));
const at = (name: string): string => join(folder, name);
let database: DuckDBConnection;
const rowsOf = async (query: string): Promise<unknown[][]> => (await database.run(query)).getRowsJson();

beforeAll(async () => {
  database = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(() => {
  database.closeSync();
  rmSync(folder, { recursive: true });
});

/** Numbers of every width, words, values that lack, and a column that is null throughout the first part. */
const COLUMNS = `n as number, (n * 7919 % 251)::utinyint as small, n * 2654435761 as large, -n::bigint as below,
  case when n % 3 = 0 then null else (n % 500)::usmallint end as few, (n / 7)::double as half, n % 2 = 0 as even,
  ['zero', 'one', 'two', null][n % 4 + 1]::enum('one', 'two', 'zero') as word, repeat(chr((97 + n % 26)::int), 40) as long,
  case when n < 5000 then null else n end as late`;
const MORE = "format parquet, parquet_version v2, compression zstd, row_group_size 2048, kv_metadata {made: 'here'}";

const spell = (files: readonly string[]): string => `[${files.map((file) => `'${file}'`).join(', ')}]`;

async function makeParts(bounds: readonly number[]): Promise<string[]> {
  const parts: string[] = [];
  for (const [index, end] of bounds.slice(1).entries()) {
    const part = at(`${bounds.length}-${index}.part`);
    await database.run(`copy (select ${COLUMNS} from range(${bounds[index]}, ${end}) t(n)) to '${part}' (${MORE})`);
    parts.push(part);
  }
  return parts;
}

test.each([
  ['two', [0, 5000, 12_000]],
  ['one alone', [0, 3000]],
  ['fifty, with more row groups than a byte counts', Array.from({ length: 51 }, (_, index) => index * 6000)],
])('%s', async (_, bounds) => {
  const parts = await makeParts(bounds);
  const path = at(`joined-${bounds.length}.parquet`);
  joinParquet(parts, path);
  const rows = bounds.at(-1)!;
  const hashOf = async (files: readonly string[]): Promise<unknown[][]> =>
    rowsOf(`select md5(string_agg(hash(r)::varchar, ' ')), count(*)::int from read_parquet(${spell(files)}) r`);
  const [[hash, count]] = await hashOf(parts);
  expect(count).toBe(rows);
  expect(await hashOf([path])).toEqual([[hash, count]]);
  // Statistics and bloom filters of each row group say which may be passed over.
  for (const [column, value] of [
    ['number', '4321'],
    ['late', '2999'],
    ['word', "'two'"],
    ['long', `'${'b'.repeat(40)}'`],
    ['few', '77'],
    ['below', '-2500'],
  ]) {
    const where = `where ${column} = ${value}`;
    const [[expected]] = await rowsOf(`select count(*) from (select ${COLUMNS} from range(${rows}) t(n)) ${where}`);
    expect(await rowsOf(`select count(*) from '${path}' ${where}`), where).toEqual([[expected]]);
  }
  const groups = await rowsOf(
    `select row_group_id, any_value(row_group_num_rows) from parquet_metadata('${path}') group by 1 order by 1`,
  );
  expect(groups.map(([group]) => Number(group))).toEqual(groups.map((_group, index) => index));
  expect(groups.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(rows);
});

test('another reader finds the same', async () => {
  const path = at('other.parquet');
  joinParquet(await makeParts([0, 3000, 4000, 9000]), path);
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { num_rows, row_groups, key_value_metadata } = parquetMetadata(file);
  expect([Number(num_rows), row_groups.length, key_value_metadata?.[0]]).toEqual([
    9000,
    6,
    { key: 'made', value: 'here' },
  ]);
  const offsets = row_groups.flatMap(({ columns }) =>
    columns.map(({ meta_data }) => Number(meta_data!.data_page_offset)),
  );
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  const statistics = row_groups.map(({ columns }) => Number(columns[0].meta_data!.statistics!.min_value));
  expect(statistics).toEqual([0, 2048, 3000, 4000, 6048, 8096]);
});

test('a part that is cut short is refused', async () => {
  const [first, second] = await makeParts([0, 100, 200, 300, 400]);
  truncateSync(second, 200);
  expect(() => joinParquet([first, second], at('x.parquet'))).toThrow(`${second} is no whole Parquet file`);
  writeFileSync(second, 'PAR1');
  expect(() => joinParquet([second], at('x.parquet'))).toThrow('is no whole Parquet file');
});
