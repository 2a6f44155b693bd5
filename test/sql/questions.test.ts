// The questions of docs/sql.md, each with the answer that stands below it.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
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
  [[], 'there is no query', 'for example dprof sql'],
])('%j is refused in a line', (words, message, hint) => {
  const { status, stderr } = runDprof(['sql', trace, ...words]);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(status).toBe(2);
});
