// 10^8 references: kernels, the ten questions and Spark's jobs agree with DuckDB, which reads the same run as Parquet
// files, and with what the program is known to do.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { environment, hasSpark, parseRows, python, withoutNull } from '../spark/pyspark.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { CUSTOMERS, ORDERS, recordRounds, TYPES } from './rounds.js';

const ROUNDS = 384;
const REFERENCES = 100_000_000;
const ROOT = resolve(import.meta.dirname, '../..');
const folder = makeTemporaryFolder('large-run');
const dataset = join(folder, 'rounds.dataset');
const COLUMNS =
  'time,thread,kind,address,cacheLine,type,field,variable,function,file,line,object,age,server,miss,latency,' +
  'caller,caller2,caller3,caller4';

type Row = Record<string, unknown>;
let trace: string;
let duckdb: DuckDBConnection;

/** The rows of another reader. */
async function rowsOf(query: string): Promise<Row[]> {
  const rows = (await duckdb.runAndReadAll(query)).getRowObjectsJson();
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numberOf(value)])));
}
const numberOf = (value: unknown): unknown => (typeof value === 'string' && /^-?\d+$/.test(value) ? +value : value);

const kernel = (file: string): string => join(ROOT, 'examples/kernels', file);
const answerOf = (name: string, ...words: string[]): Row[] =>
  JSON.parse(outputOf(['kernel', kernel(`${name}.ts`), trace, '--format', 'json', ...words])) as Row[];
const ask = (query: string, ...words: string[]): Row[] =>
  JSON.parse(outputOf(['sql', trace, query, '--format', 'json', '--no-cache', ...words])) as Row[];
const sumOf = (rows: readonly Row[], column: string): number =>
  rows.reduce((sum, row) => sum + (row[column] as number), 0);

beforeAll(async () => {
  trace = recordRounds(folder, ROUNDS);
  outputOf(['export', trace, '--to', 'dataset', '-o', dataset, '--columns', COLUMNS]);
  duckdb = await (await DuckDBInstance.create()).connect();
  await duckdb.run(`set temp_directory = '${join(folder, 'spilled')}'`);
  await duckdb.run(`create view refs as select * from read_parquet('${dataset}/refs/**/*.parquet')`);
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

test('the dataset has every reference, as often as the program makes them', async () => {
  const [{ refs }] = await rowsOf('select count(*) as refs from refs');
  expect(refs).toBeGreaterThan(REFERENCES);
  for (const [type, times] of Object.entries(TYPES))
    expect(await rowsOf(`select count(*) as n from refs where type = '${type}'`), type).toEqual([
      { n: ROUNDS * times },
    ]);
});

describe('kernels', () => {
  test.each([
    [
      'variables',
      `select time // 1000000000 as second, variable, count(*) as count from refs where variable is not null
       group by all order by count desc, variable, second limit 20`,
    ],
    [
      'missing-lines',
      `select function, file, line, miss, sum(latency)::bigint as cycles from refs where miss is not null
       group by all order by cycles desc, function, file, line, miss limit 20`,
    ],
    [
      'missing-paths',
      `select concat_ws(' < ', function, caller, caller2, caller3, caller4) as path, sum(latency)::bigint as cycles
       from refs where miss is not null group by all order by cycles desc, path limit 20`,
    ],
  ])('%s', async (name, query) => {
    const [found, expected] = [answerOf(name), await rowsOf(query)];
    expect(found.length).toBeGreaterThan(1);
    expect(byText(found)).toEqual(byText(expected));
  });

  test('transfers: to one thread as many as to many others', async () => {
    const query = `select count(*) as count from refs where server = 'cache' group by miss, type, field, variable, thread
      order by count desc limit 20`;
    const found = answerOf('transfers');
    expect(found.map(({ count }) => ({ count }))).toEqual(await rowsOf(query));
  });

  test('last-writer', async () => {
    const pairs = await rowsOf(
      `with used as (select thread, function, line,
         last_value(case when kind <> 'load' then {thread: thread, function: function, line: line} end ignore nulls)
           over (partition by cacheLine order by number rows between unbounded preceding and 1 preceding) as last
         from refs)
       select last.function as writer, last.line as "its line", function as user, line, count(*) as count from used
       where last.thread <> thread group by all order by count desc limit 20`,
    );
    expect(byText(answerOf('last-writer'))).toEqual(byText(pairs));
  });

  test('working-set', async () => {
    const query = `select coalesce(type, '(none)') as type, 64 * count(distinct cacheLine) as bytes from refs
      group by 1`;
    expect(byText(answerOf('working-set'))).toEqual(byText(await rowsOf(query)));
  });

  test('reuse-distance: all references but the first to each line of a type', async () => {
    const [{ n }] = await rowsOf('select count(*) - count(distinct cacheLine) as n from refs');
    const times = answerOf('reuse-distance').flatMap(({ type: _, ...by }) => Object.values(by) as number[]);
    expect(times.reduce((sum, more) => sum + more, 0)).toBe(n);
  });

  test('phases: all misses', async () => {
    const text = outputOf(['kernel', kernel('phases.ts'), trace]);
    const misses = text
      .trimEnd()
      .split('\n')
      .map((line) => ({ misses: Number(line.split(' ').at(-1)) }));
    expect(await rowsOf('select count(miss) as n from refs')).toEqual([{ n: sumOf(misses, 'misses') }]);
  });

  test('pointers, of the first rounds: of all, a Map would have too many', () => {
    const window = ['--to', '5M'];
    const query = `select address, thread, variable, file, line, count(*) as count from refs group by all
      order by count desc limit 20`;
    expect(answerOf('pointers', ...window).map(({ count }) => count)).toEqual(
      ask(query, ...window).map(({ count }) => count),
    );
  });

  test('in C, and over Arrow', async () => {
    const types = outputOf(['kernel', kernel('types.c'), trace]);
    for (const [type, times] of Object.entries(TYPES)) expect(types).toContain(`\n${type} ${ROUNDS * times} `);
    const [{ refs, misses, cycles }] = await rowsOf(
      'select count(*) as refs, count(miss) as misses, sum(latency)::bigint as cycles from refs',
    );
    const said = outputOf(['kernel', kernel('arrow.c'), trace]);
    expect(said).toBe(`${String(refs)} references, ${String(misses)} misses, ${String(cycles)} cycles\n`);
  });
});

/** In whatever order: equals may stand in any. */
const byText = (rows: readonly Row[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

describe('the ten questions', () => {
  const text = readFileSync(join(ROOT, 'docs/sql.md'), 'utf8');
  const questions = [...text.matchAll(/^ {4}dprof sql orders\.dptrace "([^"]+)"/gm)].map(([, query]) =>
    query.replace(/\n\s+/g, '\n'),
  );
  const ofRefs = questions.filter((query) => /from\s+refs(?! r join)/.test(query));
  test.each(ofRefs)('%s', async (query) => {
    const [found, expected] = [ask(query), await rowsOf(query)];
    expect(found.length).toBeGreaterThan(0);
    expect(byText(found)).toEqual(byText(expected));
  });

  const others = questions.filter((query) => !ofRefs.includes(query));
  test('what is allocated, how old it is, and what the view says', () => {
    expect([ofRefs.length, others.length]).toEqual([7, 3]);
    const [allocated, aged, viewed] = others.map((query) => ask(query));
    expect(allocated.map(({ blocks, bytes }) => [blocks, bytes])).toEqual([
      [ROUNDS * ORDERS, ROUNDS * ORDERS * 24],
      [ROUNDS, ROUNDS * CUSTOMERS * 128],
    ]);
    for (const rows of [aged, viewed])
      for (const [type, times] of Object.entries(TYPES))
        expect(rows, type).toContainEqual(expect.objectContaining({ type, refs: ROUNDS * times }));
  });
});

describe.runIf(hasSpark)("Spark's jobs", () => {
  const names = ['variables', 'missing-lines', 'working-set', 'transfers', 'reuse-distance', 'last-writer'];
  test('say what the kernels say', () => {
    const words = [join(ROOT, 'test/spark/run_kernels.py'), dataset, ...names];
    const said = parseRows(
      execFileSync(python, words, { encoding: 'utf8', env: environment(), stdio: 'pipe', maxBuffer: 1 << 28 }),
    ) as unknown as Row[][];
    for (const [at, name] of names.entries()) expect(said[at], name).toEqual(withoutNull(answerOf(name)));
  }, 3_600_000);
});
