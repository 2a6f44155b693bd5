// The questions of docs/sql.md, each with the answer that stands below it.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DPROF, outputOf, runDprof, start } from '../cli/command-client.js';
import { TABLE_NAMES } from '../../src/sql/database.js';
import { COLUMN_NAMES, STREAM_COLUMNS } from '../../src/stream/stream-columns.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-questions-'));
const trace = join(folder, 'orders.dptrace');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => recordOrders(folder));

const COMMAND = /^ {4}dprof sql orders\.dptrace "([^"]+)"\n\n((?: {4}.*\n|\n(?= {4}))+)/gm;
const questions = [...readFileSync(join(ROOT, 'docs/sql.md'), 'utf8').matchAll(COMMAND)].map(
  ([, query, answer]) => [query.replace(/\n\s+/g, '\n'), answer.replace(/^ {4}/gm, '').trimEnd()] as const,
);

test('there are ten', () => {
  expect(questions).toHaveLength(10);
});

test.each(questions)('%s', (query, answer) => {
  expect(outputOf(['sql', trace, query, '--no-cache']).trimEnd()).toBe(answer);
});

test('refs are those of the views, on the machine that is asked for', () => {
  const ask = (query: string): unknown =>
    JSON.parse(outputOf(['sql', trace, query, '--no-cache', '--format', 'json', '--machine', 'zen3']));
  const [sums] = ask(
    `select count(*)::bigint as refs, count(miss) as l1, count(l2Miss) as l2, count(llcMiss) as llc,
       sum(latency) as cycles, count(*) filter (miss = 'false-sharing') as shared from refs`,
  ) as Record<string, number>[];
  const { totals } = JSON.parse(outputOf(['report', trace, '--format', 'json', '--no-cache', '--machine', 'zen3'])) as {
    totals: { references: number; latencyCycles: number; levels: Record<string, { misses: number }> };
  };
  const { l1, l2, llc } = totals.levels;
  expect(sums).toMatchObject({
    refs: totals.references,
    l1: l1.misses,
    l2: l2.misses,
    llc: llc.misses,
    cycles: totals.latencyCycles,
  });
  expect(sums.shared).toBeGreaterThan(10_000);
});

test.each(['refs r join objects o', 'objects o join refs r'])('of %s, the objects are held in memory', (both) => {
  const query = `explain select o.type, count(*) from ${both} using (object) group by o.type`;
  const plan = outputOf(['sql', trace, query, '--no-cache', '--format', 'csv']);
  const [, left, right] = /│ +(SEQ_SCAN|SCAN_REFS) +││ +(SEQ_SCAN|SCAN_REFS) +│/.exec(plan) ?? [];
  expect([left, right]).toEqual(['SCAN_REFS', 'SEQ_SCAN']); // DuckDB holds the right side
});

test('an object has the number that references have', () => {
  const rows = JSON.parse(
    outputOf([
      'sql',
      trace,
      `select o.object, o.references, count(r.object) as refs from objects o left join refs r using (object)
         group by all having o.references <> refs`,
      '--format',
      'json',
      '--no-cache',
    ]),
  ) as unknown[];
  expect(rows).toEqual([]);
});

test('events: what was allocated, by whom, and which threads ran', () => {
  const ask = (query: string): Record<string, unknown>[] =>
    JSON.parse(outputOf(['sql', trace, query, '--format', 'json', '--no-cache'])) as Record<string, unknown>[];
  // One question: the table is made anew for each.
  const answers = ask(
    `with e as materialized (from events)
     select 'count' as what, event as of, count(*)::int as n from e group by event
     union all select 'blocks', null, count(*)::int from allocations
     union all select distinct 'site', concat_ws(' ', function, file), line::int from e
       where event = 'allocation-site'
     union all select 'wrong', null, count(*)::int from
       (select address, min(size) size from e where event = 'allocate' group by 1) s
       join allocations a using (address) where s.size <> a.size`,
  );
  const numbersOf = (name: string): unknown[] => answers.filter(({ what }) => what === name).map(({ n }) => n);
  const counted = Object.fromEntries(
    answers.filter(({ what }) => what === 'count').map(({ of, n }) => [of as string, n]),
  );
  const [blocks] = numbersOf('blocks');
  expect(counted).toMatchObject({
    allocate: blocks,
    'allocation-site': 20_001,
    call: 3,
    return: 3,
    release: 2,
    'thread-start': 3,
    'thread-end': 2,
  });
  expect(numbersOf('site').sort()).toEqual([25, 39]);
  expect(numbersOf('wrong')).toEqual([0]);
});

test('files, and values that JSON has no word for', () => {
  const file = join(folder, 'misses.parquet');
  outputOf(['sql', trace, 'select miss, count(*) n from refs group by miss', '--format', 'parquet', '-o', file]);
  const query = `select n, miss, 2::hugeint ** 100 as "large", [1, null] as list from '${file}' where miss is null`;
  expect(outputOf(['sql', trace, query, '--format', 'csv']).split('\n')[0]).toBe('n,miss,large,list');
  expect(JSON.parse(outputOf(['sql', trace, 'select (2::hugeint << 70) a, null b', '--format', 'json']))).toEqual([
    { a: '2361183241434822606848', b: null },
  ]);
  expect(outputOf(['sql', trace, 'select 1 where false', '--format', 'json'])).toBe('[]\n');
});

test('dates, times, bytes and the like are as DuckDB spells them', () => {
  const query = `select date '2024-02-03' d, timestamp '2024-02-03 04:05:06.789' t, time '04:05:06' c, 'a\\x00'::blob b,
    2::hugeint ** 3 h, interval '1 month 2 days' i, 1.50::decimal(5, 2) e, {'a': date '2024-02-03'} s, map {'k': [1]} m,
    '101'::bit x, 'nan'::double n`;
  expect(JSON.parse(outputOf(['sql', trace, query, '--format', 'json']))).toEqual([
    {
      d: '2024-02-03',
      t: '2024-02-03 04:05:06.789',
      c: '04:05:06',
      b: 'a\\x00',
      h: 8,
      i: '1 month 2 days',
      e: 1.5,
      s: { a: '2024-02-03' },
      m: { k: [1] },
      x: '101',
      n: null,
    },
  ]);
});

test.each([
  ['text', 'select 1 a; set threads = 1; select 2 b where false', 'a\n─\n1\n\nb\n─\nno rows\n'],
  ['csv', 'select 1 a; select 2 b, 3 c;', 'a\n1\n\nb,c\n2,3\n'],
  ['json', 'select 1 a; select 2 b where false; select 3 c', '[\n[\n{"a":1}\n],\n[],\n[\n{"c":3}\n]\n]\n'],
  ['json', 'create temp table t as select 1 a; from t', '[\n{"a":1}\n]\n'],
  ['json', 'select 1 a;', '[\n{"a":1}\n]\n'],
  ['csv', 'create temp table own as select count(*) n from refs where line = 40; from own', 'n\n1000\n'],
])('several statements, %s: %s', (format, query, expected) => {
  expect(outputOf(['sql', trace, query, '--format', format])).toBe(expected);
});

test('an error in a later statement comes behind the answers of those before it', () => {
  const { status, stdout, stderr } = runDprof(['sql', trace, 'select 1 a; from nothing', '--format', 'csv']);
  expect([status, stdout, stderr.split('\n')[0]]).toEqual([
    2,
    'a\n1\n',
    expect.stringContaining('Table with name nothing does not exist'),
  ]);
});

test('which tables and columns there are', () => {
  const tables = JSON.parse(outputOf(['sql', trace, 'show tables', '--format', 'json'])) as { name: string }[];
  expect(tables.map(({ name }) => name).sort()).toEqual([...TABLE_NAMES].sort());
  const columns = JSON.parse(outputOf(['sql', trace, 'DESCRIBE refs;', '--format', 'json'])) as object[];
  expect(columns).toEqual(
    COLUMN_NAMES.map((name) => ({
      column_name: name,
      column_type: expect.stringMatching(/^(VARCHAR|U[A-Z]+)$/) as string,
      about: STREAM_COLUMNS[name].about,
    })),
  );
  const query = 'describe select thread, address, value, evictedObject from refs';
  const types = JSON.parse(outputOf(['sql', trace, query, '--format', 'json'])) as Record<string, unknown>[];
  const typeOf = new Map((columns as Record<string, unknown>[]).map((row) => [row.column_name, row.column_type]));
  for (const { column_name, column_type } of types) expect(typeOf.get(column_name)).toBe(column_type);
  expect(types).toHaveLength(4);
});

/** `script` gives it a terminal; each line is typed when the prompt is there. */
function typed(lines: readonly string[]): Promise<{ readonly said: string; readonly status: number | null }> {
  const child = spawn('script', ['-qec', `${join(ROOT, 'bin/dprof')} sql ${trace}`, '/dev/null']);
  return new Promise((done) => {
    let [said, next, seen] = ['', 0, 0];
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      for (;;) {
        const at = said.slice(seen).search(/(dprof| {2}\.\.\.)> /);
        if (at < 0 || next === lines.length) return;
        seen += at + 'dprof> '.length;
        child.stdin.write(`${lines[next++]}\n`);
      }
    });
    child.once('close', (status) => done({ said, status }));
  });
}

test('a prompt, where there is a terminal', async () => {
  const { said, status } = await typed([
    'select count(*) as n',
    'from refs where line = 40;',
    'from nothing;',
    'select 42 as answer;',
    'quit',
  ]);
  expect(said).toMatch(/n\s+─+\s+1,000\s/);
  expect(said).toContain('Table with name nothing does not exist');
  expect(said).toMatch(/answer\s+─+\s+42\s/);
  expect(status).toBe(0);
});

test.each([
  [['from orders'], 'Table with name orders does not exist', 'nearest: '],
  [[' ; '], 'the query is empty', 'for example'],
  [['selec 1'], 'syntax error at or near "selec"', 'docs/sql.md'],
  [['select colour from refs'], '"colour" not found', 'docs/sql.md'],
  [['select 1', '--format', 'parquet'], '--format parquet and -o go together', 'types.parquet'],
  [['select 1; select 2', '--format', 'parquet', '-o', 'x'], 'a Parquet file is of one statement', 'of its own'],
  [[], 'there is no query', 'for example dprof sql'],
  [[`copy (select 1) to '${trace}'`], 'a query writes no files', '--format parquet -o FILE'],
  [[`explain analyze copy (select 1) to '${trace}'`], 'a query writes no files', '-o FILE'],
  [[`prepare p as copy (select 1) to '${trace}'; execute p`], 'a query writes no files', '-o FILE'],
  [[`set profiling_output = '${trace}'`], 'a query writes no files', '-o FILE'],
  [[`export database '${trace}.exported'`], 'a query writes no files', '-o FILE'],
])('%j is refused in a line', (words, message, hint) => {
  const before = readFileSync(trace);
  const { status, stderr } = runDprof(['sql', trace, ...words]);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(status).toBe(2);
  expect(readFileSync(trace).equals(before)).toBe(true);
  expect(existsSync(`${trace}.exported`)).toBe(false);
});

test('a full disk', () => {
  const { status, stderr } = start(
    ['sh', '-c', `${DPROF} sql ${trace} 'from refs' --format csv > /dev/full`],
    process.env,
  );
  expect(stderr).toBe('dprof: cannot write the output (ENOSPC)\nhint: free some space, or write elsewhere\n');
  expect(status).toBe(1);
  const full = runDprof(['sql', trace, 'from refs', '--format', 'parquet', '-o', '/dev/full']);
  expect(full.stderr).toContain('No space left on device\nhint: choose another place: -o FILE\n');
  expect(full.status).toBe(1);
});

test('a query that a signal ends leaves nothing', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const query =
    "set memory_limit = '40MB'; select count(*) from (select distinct range, random() from range(1000000000))";
  const made = watch(temporary);
  const child = spawn(DPROF, ['sql', trace, query], { env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' });
  const ended = new Promise<string | null>((done) => child.on('exit', (_, signal) => done(signal)));
  for await (const { filename } of made) if (filename?.startsWith('dprof-sql-')) break;
  child.kill('SIGTERM');
  expect(await ended).toBe('SIGTERM');
  expect(readdirSync(temporary)).toEqual([]);
});
