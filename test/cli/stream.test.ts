// `dprof stream` as a user types it: rows, filters, and what is refused.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { outputOf, runDprof } from './command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-stream-'));
const trace = join(folder, 'program.dptrace');

beforeAll(() => {
  const source = join(folder, 'program.c');
  writeFileSync(
    source,
    `#include <stdlib.h>
     struct node { long key; struct node *next; };
     static long total;
     int main(void) {
       struct node *nodes = calloc(1000, sizeof *nodes);
       for (int i = 0; i < 1000; i++) nodes[i].key = i;
       for (int i = 0; i < 1000; i++) total += nodes[i].key;
       free(nodes);
       return total & 1;
     }
`,
  );
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', '-fno-vectorize', source, '-o', join(folder, 'program')]);
  outputOf(['record', '-o', trace, '--', join(folder, 'program')]);
});

const rowsOf = (...words: string[]): Record<string, unknown>[] =>
  outputOf(['stream', trace, ...words])
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('all columns of some rows', () => {
  const all = [
    'time,thread,core,process,kind,address,size,cacheLine,type,field,variable,function,file,line',
    'object,objectOffset,site,age,server,miss,l2Miss,llcMiss,latency,evicted,invalidated',
  ].join(',');
  const rows = rowsOf('--columns', all, '--where', 'field=key', '--where', 'kind=store');
  expect(rows).toHaveLength(1000);
  const [first, second] = rows;
  expect(first).toMatchObject({
    thread: 0,
    kind: 'store',
    size: 8,
    type: 'struct node',
    field: 'key',
    function: 'main',
    file: join(folder, 'program.c'),
    line: 6,
    process: 0,
    objectOffset: 0,
    site: `${join(folder, 'program.c')}:5`,
    miss: 'compulsory',
    server: 'memory',
    invalidated: 0,
  });
  expect(second).toMatchObject({ objectOffset: 16, miss: null, server: 'l1', latency: 4 });
  expect(second.address).toBe((first.address as number) + 16);
  expect(second.object).toBe(first.object);
  expect(second.cacheLine).toBe(Math.floor((second.address as number) / 64) * 64);
  expect(Object.keys(first)).toEqual(all.split(','));
});

test('as many as the report counts, by both engines', () => {
  const { rows } = JSON.parse(outputOf(['report', trace, '--format', 'json', '--no-cache'])) as {
    rows: { type: string; references: { loads: number; stores: number } }[];
  };
  const node = rows.find(({ type }) => type === 'struct node')!;
  for (const engine of ['native', 'ts']) {
    const kinds = rowsOf('--columns', 'kind', '--where', 'type=struct node', '--engine', engine).map(
      ({ kind }) => kind,
    );
    expect({
      loads: kinds.filter((kind) => kind === 'load').length,
      stores: kinds.filter((kind) => kind === 'store').length,
    }).toEqual(node.references);
  }
});

test('what caches did is what the report counts, on the machine that is asked for', () => {
  const machine = ['--l1', '1K/2', '--prefetch', 'none'];
  const { totals } = JSON.parse(
    outputOf(['report', trace, '--format', 'json', '--view', 'miss-classification', '--no-cache', ...machine]),
  ) as {
    totals: { latencyCycles: number; levels: Record<string, { misses: number; classes: Record<string, number> }> };
  };
  const rows = rowsOf('--columns', 'miss,l2Miss,latency', ...machine);
  for (const [column, level] of [
    ['miss', 'l1'],
    ['l2Miss', 'l2'],
  ]) {
    const { misses, classes } = totals.levels[level];
    expect(rows.filter((row) => row[column] !== null).length).toBe(misses);
    for (const name of Object.keys(classes))
      expect(rows.filter((row) => row[column] === name).length, name).toBe(classes[name]);
  }
  expect(totals.levels.l1.classes.capacity).toBeGreaterThan(200);
  expect(rows.reduce((sum, { latency }) => sum + (latency as number), 0)).toBe(totals.latencyCycles);
});

test('--stage cache adds what happened in caches', () => {
  const [first] = rowsOf('--stage', 'cache');
  expect(Object.keys(first).slice(-3)).toEqual(['server', 'miss', 'latency']);
});

test('a window, and a schedule', () => {
  const all = rowsOf('--columns', 'address');
  expect(rowsOf('--columns', 'address', '--from', '100', '--to', '200').length).toBe(100);
  expect(rowsOf('--columns', 'address', '--schedule', 'random:3')).toEqual(all);
  expect(runDprof(['stream', trace, '--schedules', '3']).stderr).toContain('rows are in one order');
});

test('comma-separated values', () => {
  const [head, first, ...rest] = outputOf(['stream', trace, '--columns', 'kind,size', '--format', 'csv']).split('\n');
  expect([head, first]).toEqual(['kind,size', expect.stringMatching(/^(load|store),8$/)]);
  expect(rest.at(-1)).toBe('');
});

test('numbers are compared', () => {
  const [{ address }] = rowsOf('--columns', 'address', '--where', 'field=key');
  const from = (address as number) + 16 * 990;
  expect(
    rowsOf('--columns', 'kind', '--where', 'field=key', '--where', `address>=0x${from.toString(16)}`),
  ).toHaveLength(20);
});

test.each([
  [['--columns', 'typ'], "there is no column 'typ'", 'nearest: type'],
  [['--columns', 'type,type'], "'type' stands twice", 'each column once'],
  [['--where', 'kind'], "'kind' is not COLUMN=VALUE", 'for example --where kind=store'],
  [['--where', 'kinds=load'], "there is no column 'kinds'", 'nearest: kind'],
  [['--where', 'kind=read'], "kind is never 'read'", 'it is load, store, atomic; nearest: load'],
  [['--where', 'miss!=conflicts'], "miss is never 'conflicts'", 'nearest: conflict'],
  [['--where', 'thread=main'], "thread is a number, not 'main'", '--where thread=64'],
  [['--where', 'size<many'], "'many' is no number", 'compares numbers'],
])('%j is refused', (words, message, hint) => {
  const { status, stderr } = runDprof(['stream', trace, ...words]);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(status).toBe(2);
});

test('events are those of SQL, in its order, by either engine', () => {
  const expected = outputOf(['sql', trace, 'from events', '--format', 'csv', '--no-cache']);
  expect(expected).toContain(',allocation-site,');
  for (const engine of ['native', 'ts'])
    expect(outputOf(['stream', trace, '--events', '--format', 'csv', '--engine', engine])).toBe(expected);
  const lines = outputOf(['stream', trace, '--events']).trimEnd().split('\n');
  const rows = JSON.parse(outputOf(['sql', trace, 'from events', '--format', 'json', '--no-cache'])) as unknown[];
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows);
});

test.each([
  [['--columns', 'time'], '--columns is not for --events'],
  [['--where', 'time=0'], '--where is not for --events'],
  [['--stage', 'cache'], '--stage cache is not for --events'],
  [['--from', '10'], 'a window is not for --events'],
])('events with %j are refused', (words, message) => {
  const { status, stderr } = runDprof(['stream', trace, '--events', ...words]);
  expect([status, stderr.split('\n')[0]]).toEqual([2, `dprof: ${message}`]);
});

test('a reader that goes away ends it', () => {
  const made = execFileSync('sh', ['-c', `${join(ROOT, 'bin/dprof')} stream ${trace} | head -2; echo over`], {
    encoding: 'utf8',
  });
  expect(made.split('\n').slice(-2, -1)).toEqual(['over']);
});
