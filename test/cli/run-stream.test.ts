// Stage: test. `dprof run --stream`: rows of a program while it runs, which are those of its trace.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { recordOrders } from '../recorded/orders.js';
import { outputOf, runDprof } from './command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-run-stream-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const compile = (name: string, text: string, ...flags: string[]): void => {
  writeFileSync(at(`${name}.c`), text);
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', ...flags, `${name}.c`, '-o', name], { cwd: folder });
};

/** Standard output of the command, which the program shares. */
const run = (...words: string[]): Buffer =>
  execFileSync(join(ROOT, 'bin/dprof'), ['run', '--stream', ...words], { maxBuffer: 1 << 30, input: '\n' });
const rowsIn = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('{'));

const WAITING = `#include <stdio.h>
#include <stdlib.h>
struct answer { int letters, first; } *answer;
int main(int argc, char **argv) {
  answer = malloc(sizeof *answer);
  answer->letters = 0;
  for (int letter; (letter = getchar()) != EOF; answer->letters++) answer->first = letter;
  if (argc > 1) fclose(fopen(argv[1], "w"));
  return answer->letters;
}
`;

const LOADING = `#include <dlfcn.h>
#include <stdio.h>
struct seen { int before, behind; } seen;
int main(int argc, char **argv) {
  for (volatile int i = 0; i < 20000; i++) seen.before += i;
  getchar();
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*plug)(int) = (int (*)(int))dlsym(library, "plug");
  for (int i = 0; i < 64; i++) seen.behind += plug(i);
  return seen.behind & 1;
}
`;

beforeAll(() => {
  recordOrders(folder);
  compile('waiting', WAITING);
  compile('loading', LOADING, '-ldl');
  compile('endless', 'long turns[2];\nint main() { for (;;) turns[turns[0] & 1]++; }\n');
  compile('empty', 'struct word { int first, last; } word;\nint main() { return word.last = word.first++; }\n');
  compile('plug.so', 'struct plugged { int x[64]; } p;\nint plug(int i) { return p.x[i] += i; }\n', '-shared', '-fPIC');
});

const COLUMNS = 'time,thread,core,address,size,type,field,object,age,server,miss,llcMiss,latency,evicted,invalidated';

const differingRows = (found: readonly string[], expected: readonly string[]): unknown => [
  found.length - expected.length,
  found.map((row, at_) => [row, expected[at_]]).find(([row, other]) => row !== other),
];

test.each([
  ['orders', '--machine paper --workers 1 --buffer 1M'],
  ...atLength(
    [],
    [
      ['orders', ''],
      ['orders', '--machine zen3 --cores 4'],
    ],
  ),
  ['loading', ''],
])('rows of %s %s are those of its trace', (name, spelled) => {
  const flags = spelled.split(' ').filter(Boolean);
  const isLoading = name === 'loading';
  const columns = isLoading ? COLUMNS.replace('object,', '') : COLUMNS;
  const words = isLoading ? [at(name), at('plug.so')] : [at(name)];
  const rows = rowsIn(run('--columns', columns, '--keep', at('kept.dptrace'), ...flags, '--', ...words).toString());
  const ofTrace = flags.filter((flag, index) => flag !== '--buffer' && flags[index - 1] !== '--buffer');
  const expected = rowsIn(outputOf(['stream', at('kept.dptrace'), '--columns', columns, ...ofTrace]));
  expect(differingRows(rows, expected)).toEqual([0, undefined]);
  expect(rows.length).toBeGreaterThan(isLoading ? 70_000 : 250_000);
});

test('a library that comes later has no place in numbers that were said', async () => {
  const words = ['run', '--stream', '--columns', 'time,object', '--', at('loading'), at('plug.so')];
  const child = spawn(join(ROOT, 'bin/dprof'), words, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part: Buffer) => void (said += part.toString()));
  child.stdout.once('data', () => child.stdin.end('\n')); // rows have begun
  child.stdout.resume();
  expect(await new Promise((done) => child.on('close', done))).toBe(1);
  expect(said.split('\n')[0]).toBe(
    'dprof: the program loaded a library when rows had begun: objects are numbered anew (leave out the column object)',
  );
});

test('rows come while the program runs', async () => {
  const words = ['run', '--stream', '--columns', 'field,kind', '--where', 'field=first', '--', at('waiting')];
  const child = spawn(join(ROOT, 'bin/dprof'), words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const letter of ['a', 'b']) {
    child.stdin.write(letter);
    // The program now waits for the next one.
    if (letter === 'a') child.stdin.write('\n');
    expect((await lines.next()).value).toBe('{"field":"first","kind":"store"}');
  }
  child.stdin.end();
  expect(await new Promise((done) => child.on('close', done))).toBe(3);
});

test('Arrow', () => {
  const rows = run('--columns', 'thread,type,miss', '--rows', 'arrow', '--keep', at('kept.dptrace'), '--', at('empty'));
  const expected = outputOf(['stream', at('kept.dptrace'), '--columns', 'thread,type,miss']);
  const found = tableFromIPC(rows)
    .toArray()
    .map((row) => JSON.stringify(row));
  expect(found).toEqual(rowsIn(expected));
  expect(found).toHaveLength(3);
});

test('rows in a file are apart from what the program prints', () => {
  expect(run('--columns', 'thread', '-o', at('rows'), '--', at('orders')).toString()).toMatch(/^\d+\n$/);
  const rows = readFileSync(at('rows'), 'utf8').split('\n');
  expect(rows.slice(0, 2)).toEqual(['{"thread":0}', '{"thread":0}']);
  expect(rows.length).toBeGreaterThan(250_000);
});

test('whoever reads no more lets the program run on', () => {
  const words = `'${at('waiting')}' '${at('done')}'`;
  const command = `printf abc | '${join(ROOT, 'bin/dprof')}' run --stream -- ${words} | head -n 1`;
  expect(execFileSync('bash', ['-c', command], { encoding: 'utf8' })).toMatch(/^\{"thread":0,"kind":"/);
  expect(existsSync(at('done'))).toBe(true);
});

test('a signal ends the program, also if nobody reads; another one ends what is left', async () => {
  const words = ['run', '--stream', '--buffer', '1M', '--columns', 'thread', '--', at('endless')];
  const child = spawn(join(ROOT, 'bin/dprof'), words, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await new Promise((done) => child.stdout.once('readable', done)); // and nothing is taken
  const isRunning = (): boolean => spawnSync('pgrep', ['-g', String(child.pid), '-x', 'endless']).status === 0;
  expect(isRunning()).toBe(true);
  process.kill(-child.pid!, 'SIGINT');
  while (isRunning()) await sleep(20);
  expect(child.exitCode).toBe(null);
  const ended = new Promise((done) => child.on('exit', (_, signal) => done(signal)));
  process.kill(-child.pid!, 'SIGINT');
  expect(await ended).toBe('SIGINT');
  child.stdout.destroy();
});

test('what is known only at the end', () => {
  const refused = (...flags: string[]): unknown => {
    const { status, stdout, stderr } = runDprof(['run', ...flags, '--', at('waiting')]);
    return [status, stdout, stderr.split('\n')[0]];
  };
  const notForStream: readonly (readonly [message: string, ...flags: string[]])[] = [
    ['--schedule is not for --stream: that order is known when the program has ended', '--schedule', 'recorded'],
    ['--map cpu is not for --stream: CPUs are known when the program has ended', '--map', 'cpu'],
    ['--engine ts is not for --stream: it reads whole traces', '--engine', 'ts'],
    ['--stream has to know how many cores the machine has', '--machine', 'zen3'],
  ];
  for (const [message, ...flags] of notForStream)
    expect(refused('--stream', ...flags)).toEqual([2, '', `dprof: ${message}`]);
  const own = runDprof(['run', '--stream', '-o', at('waiting'), '--', at('waiting')]);
  expect([own.status, own.stderr.replaceAll(`${folder}/`, '').split('\n')[0]]).toEqual([
    2,
    'dprof: -o waiting is what is read (waiting)',
  ]);
  expect(refused('--columns', 'type')).toEqual([2, '', 'dprof: --columns is for --stream']);
  expect(readFileSync(at('waiting.c'), 'utf8')).toBe(WAITING);
});
