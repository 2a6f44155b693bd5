// A dataset has the rows of a stream, in its order; one that is not whole is refused.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-dataset-'));
const trace = join(folder, 'orders.dptrace');
const dataset = join(folder, 'orders.dataset');
afterAll(() => rmSync(folder, { recursive: true }));

const jsonOf = (...words: string[]): Record<string, unknown>[] =>
  JSON.parse(outputOf(['sql', ...words, '--format', 'json'])) as Record<string, unknown>[];

beforeAll(() => {
  recordOrders(folder);
  const { status, stderr } = runDprof(['export', trace, '--to', 'dataset', '-o', dataset, '--chunk', '200K']);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/: 261,\d{3} references in .*, [\d.]+ bytes each\n$/)]);
});

test('the rows of the stream, in its order', () => {
  const columns =
    'time,thread,kind,address,size,type,field,variable,function,file,line,object,miss,l2Miss,llcMiss,latency';
  const rows = outputOf(['stream', trace, '--columns', columns, '--format', 'csv']).split('\n').slice(1, -1);
  const rowsOf = new Map<string, string[]>();
  for (const row of rows) {
    const [time, thread] = row.split(',', 2).map(Number);
    const key = `${Math.floor(time / 200_000)} ${thread}`;
    const own = rowsOf.get(key);
    if (own === undefined) rowsOf.set(key, [row]);
    else own.push(row);
  }
  const files = readdirSync(join(dataset, 'refs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.parquet'),
  );
  expect(files.length).toBeGreaterThan(5);
  const query = `select chunk, ${columns} from '${join(dataset, 'refs/*/*/*.parquet')}'`;
  const found = new Map<string, string[]>();
  for (const line of outputOf(['sql', dataset, query, '--format', 'csv']).split('\n').slice(1, -1)) {
    const [chunk, , thread] = line.split(',', 3); // of the names of folders
    const row = line.slice(chunk.length + 1);
    const own = found.get(`${chunk} ${thread}`);
    if (own === undefined) found.set(`${chunk} ${thread}`, [row]);
    else own.push(row);
  }
  expect(found.size).toBe(files.length);
  expect(new Set(found.keys())).toEqual(new Set(rowsOf.keys()));
  for (const [key, own] of found) expect(own, key).toEqual(rowsOf.get(key));
});

test('a question has the same answer as of the trace', () => {
  const question = 'select type, line, miss, count(*) n, sum(latency) cycles from refs group by all order by all';
  expect(jsonOf(dataset, question)).toEqual(jsonOf(trace, question));
});

test('columns and conditions are chosen before anything is written', () => {
  const some = join(folder, 'some');
  outputOf([
    'export',
    trace,
    '--to',
    'dataset',
    '-o',
    some,
    '--columns',
    'address,miss',
    '--where',
    'type=struct order',
    '--where',
    'miss!=capacity',
  ]);
  const manifest = JSON.parse(readFileSync(join(some, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const [{ n }] = jsonOf(
    trace,
    "select count(*) n from refs where type = 'struct order' and miss is distinct from 'capacity'",
  );
  expect(manifest).toMatchObject({
    schema: 'dprof.dataset/1',
    rows: n,
    where: ['type=struct order', 'miss!=capacity'],
  });
  expect(Object.keys(jsonOf(some, 'select * from refs limit 1')[0]).sort()).toEqual([
    'address',
    'chunk',
    'miss',
    'number',
    'thread',
  ]);
});

test('numbers of references are those of the whole replay, whatever the conditions', () => {
  const asked = ['stream', trace, '--columns', 'thread,line', '--format', 'csv'];
  const rows = outputOf(asked).split('\n').slice(1, -1);
  const numbered = rows.map((row, number) => `${row},${number}`);
  const question = 'select thread, line, number from refs order by number';
  expect(outputOf(['sql', dataset, question, '--format', 'csv']).split('\n').slice(1, -1)).toEqual(numbered);
  const some = join(folder, 'line-34');
  outputOf(['export', trace, '--to', 'dataset', '-o', some, '--columns', 'line', '--where', 'line=34']);
  expect(outputOf(['sql', some, question, '--format', 'csv']).split('\n').slice(1, -1)).toEqual(
    numbered.filter((row) => row.split(',')[1] === '34'),
  );
});

test('a part of the run, with caches that are warm', () => {
  const part = join(folder, 'part.dataset');
  const window = ['--from', '100K', '--until', '150K'];
  outputOf(['export', trace, '--to', 'dataset', '-o', part, ...window, '--columns', 'time,address,miss']);
  const columns = ['--columns', 'time,address,miss', '--format', 'csv'];
  const rows = outputOf(['stream', trace, ...columns, '--from', '100K', '--to', '150K'])
    .split('\n')
    .slice(1, -1);
  const found = outputOf(['sql', part, 'select time, address, miss from refs order by number', '--format', 'csv']);
  expect(found.split('\n').slice(1, -1)).toEqual(rows);
  expect(rows.length).toBeGreaterThan(49_000);
  const windowOf = (path: string): unknown =>
    (JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as { window?: unknown }).window;
  expect([windowOf(part), windowOf(dataset)]).toEqual([{ from: '100K', until: '150K' }, undefined]);
});

test('row groups that were written side by side are in one file, in order', () => {
  const source = join(folder, 'long.c');
  writeFileSync(
    source,
    `volatile int cells[4096];
     int main(void) {
       for (int i = 0; i < 600000; i++) cells[i * 7 & 4095]++;
       return 0;
     }
`,
  );
  const at = (name: string): string => join(folder, name);
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', at('long')]);
  outputOf(['record', '-o', at('long.dptrace'), '--', at('long')]);
  outputOf(['export', at('long.dptrace'), '--to', 'dataset', '-o', at('long.dataset'), '--chunk', '1G']);
  const path = at('long.dataset/refs/chunk=0/thread=0/data_0.parquet');
  expect(readdirSync(join(path, '..'))).toEqual(['data_0.parquet']);
  const counts = jsonOf(
    at('long.dataset'),
    `select row_group_num_rows::int n from parquet_metadata('${path}')
    where column_id = 0 order by row_group_id`,
  ).map(({ n }) => n as number);
  expect(counts).toHaveLength(3);
  expect(Math.max(...counts)).toBeLessThanOrEqual(1 << 19);
  const question = `select count(*) n, sum(hash(number, time, address, kind::varchar, line, miss::varchar)) hash,
    bool_and(number = row) inOrder from (select *, row_number() over () - 1 as row from refs)`;
  expect(jsonOf(at('long.dataset'), question)).toEqual(
    jsonOf(at('long.dptrace'), question.replace('number = row', 'true')),
  );
});

const file = 'refs/chunk=0/thread=0/data_0.parquet';
function changeManifest(copy: string, change: () => object | null): void {
  const path = join(copy, 'manifest.json');
  const changed = change();
  const whole = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify(changed && { ...whole, ...changed }));
}

test.each<[string, (copy: string) => void, string]>([
  ['lacks a file', (copy: string) => rmSync(join(copy, file)), `${file} is missing`],
  ['has one cut short', (copy: string) => truncateSync(join(copy, file), 100), `${file} has 100 bytes instead of`],
  [
    'is of another version',
    (copy: string) => writeFileSync(join(copy, 'manifest.json'), '{"schema":"dprof.dataset/9"}'),
    'says schema dprof.dataset/9, and this dprof reads dprof.dataset/1',
  ],
  [
    'has no manifest',
    (copy: string) => writeFileSync(join(copy, 'manifest.json'), '{'),
    'manifest.json cannot be read',
  ],
  ['has a manifest of nothing', (copy: string) => changeManifest(copy, () => null), 'manifest.json is no object'],
  ['names no columns', (copy: string) => changeManifest(copy, () => ({ columns: [{}] })), 'names no columns'],
  ...['../../orders.dptrace', '/etc/passwd', 'refs/*/*/*.parquet', 'x'.repeat(1e7), '', null].map(
    (path): [string, (copy: string) => void, string] => [
      `names the file ${String(path).slice(0, 20)}`,
      (copy) => changeManifest(copy, () => ({ files: [{ path, bytes: 1 }] })),
      'names no files, or one that is not in the folder',
    ],
  ),
  [
    'has a schema of ten megabytes',
    (copy: string) => changeManifest(copy, () => ({ schema: ['y'.repeat(1e7)] })),
    'says schema ["yyy',
  ],
])('one that %s is refused', (_, spoil, message) => {
  const copy = join(folder, 'copy');
  cpSync(dataset, copy, { recursive: true });
  spoil(copy);
  const { status, stderr } = runDprof(['sql', copy, 'select count(*) from refs']);
  rmSync(copy, { recursive: true });
  expect(stderr).toContain(message);
  expect(stderr).toContain('make it anew');
  expect(stderr.length).toBeLessThan(400);
  expect(status).toBe(1);
});

test.each([
  [['export', trace, '--to', 'dataset', '-o', dataset], 'is not empty', 'name a new folder'],
  [['export', trace, '--to', 'dataset', '-o', '-'], 'a dataset is a folder', '-o FOLDER'],
  [['export', trace, '--to', 'dataset', '-o', 'x', '--columns', 'typ'], "no column 'typ'", 'nearest: type'],
  [['export', trace, '--to', 'dataset', '-o', 'x', '--chunk', '0'], "'0' is no number of instructions", '100M'],
  [['export', trace, '--to', 'pprof', '-o', 'x', '--chunk', '1M'], '--chunk is not for --to pprof', 'of --to dataset'],
  [['sql', dataset, 'from refs', '--until', '5'], '--until does nothing', 'make the dataset with them'],
  [['sql', dataset, 'from data_profile'], 'data_profile is no table of a dataset', 'ask the trace'],
  [['sql', dataset, 'from refs', '--machine', 'zen3'], '--machine does nothing', 'make the dataset with them'],
])('%j is refused', (words, message, hint) => {
  const { status, stderr } = runDprof(words);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(status).toBe(2);
});

test('a dataset without rows has none', () => {
  const empty = join(folder, 'empty.dataset');
  outputOf(['export', trace, '--to', 'dataset', '-o', empty, '--where', "field=o'brien"]);
  const asked = 'select count(*) as n, count(type) as types, max(time) as last from refs';
  expect(jsonOf(empty, asked)).toEqual([{ n: 0, types: 0, last: null }]);
  const { status, stderr } = runDprof(['export', trace, '--to', 'dataset', '-o', trace]);
  expect([status, stderr.split('\n')[0]]).toEqual([2, `dprof: ${trace} is no folder`]);
});

test('columns of one name are two, whatever the others are called', () => {
  expect(jsonOf(trace, 'select 1 as a, 2 as a, 3 as a_1')).toEqual([{ a: 1, a_2: 2, a_1: 3 }]);
});
