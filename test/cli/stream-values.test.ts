// The column `value` says what `dprof dump --references --values` says, by both engines and in every format.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputOf, runDprof } from './command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-stream-values-'));
const trace = join(folder, 'valued.dptrace');
const without = join(folder, 'plain.dptrace');
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM = `#include <pthread.h>
  #include <stdatomic.h>
  #include <stdint.h>
  #include <string.h>
  struct word { _Atomic long shared; uint64_t large; double half; char bytes[200]; } volatile word __attribute__((aligned(64)));
  struct __attribute__((packed, aligned(64))) odd { char before[60]; volatile uint64_t over; } odd;
  static void *run(void *unused) {
    for (int i = 0; i < 3000; i++) {
      atomic_fetch_add(&word.shared, i);
      word.large += UINT64_C(0x8000000000000001);
      odd.over = word.large ^ i;
    }
    return unused;
  }
  int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, run, NULL);
    run(NULL);
    pthread_join(other, NULL);
    memset((char *)word.bytes, 7, sizeof word.bytes);
    word.half = 0.5;
    word.large = UINT64_C(0xfedcba9876543210);
    return word.bytes[odd.over & 63] - 7;
  }
`;

beforeAll(() => {
  writeFileSync(join(folder, 'program.c'), PROGRAM);
  for (const [name, flags] of [
    ['valued', ['-fdprof-values']],
    ['plain', []],
  ] as const) {
    const compiler = ['-O1', '-g', '-pthread', ...flags, 'program.c', '-o', name];
    execFileSync(join(ROOT, 'bin/dprof-cc'), compiler, { cwd: folder });
    const recorder = ['record', '-o', `${name}.dptrace`, '--', `./${name}`];
    execFileSync(join(ROOT, 'bin/dprof'), recorder, { cwd: folder, stdio: 'pipe' });
  }
});

interface Row {
  readonly address: number;
  readonly size: number;
  readonly value: string;
}

/** Rows of one access are one, as the dump has it. */
function joined(rows: readonly Row[], accesses: readonly Row[]): Row[] {
  let next = 0;
  return accesses.map(({ size: bytes }) => {
    const { address, value } = rows[next];
    let size = 0;
    for (; size < bytes; next++) {
      expect(rows[next].value).toBe(value);
      size += rows[next].size;
    }
    return { address, size, value };
  });
}

function dumped(...words: string[]): Row[] {
  return outputOf(['dump', trace, '--references', '--values', ...words])
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , address, size, value]) => ({ address: parseInt(address, 16), size: Number(size), value }));
}

const spell = (value: string): string => (value === '' ? '-' : BigInt(value).toString(16));

test.each([
  ['native', []],
  ['ts', []],
  ['native', ['--workers', '1', '--machine', 'zen3']],
  ['native', ['--schedule', 'random:5']],
  ['ts', ['--schedule', 'random:5']],
])('as the dump has it: --engine %s %j', (engine, words) => {
  const columns = words.includes('zen3') ? 'address,size,value,miss' : 'address,size,value';
  const asked = ['stream', trace, '--columns', columns, '--format', 'csv', '--engine', engine, ...words];
  const rows = outputOf(asked)
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(','))
    .map(([address, size, value]) => ({ address: Number(address), size: Number(size), value: spell(value) }));
  const expected = dumped(...words.filter((_, at) => words[0] === '--schedule' && at < 2));
  const large = expected.filter(({ value }) => value.length === 16);
  expect(large.length).toBeGreaterThan(6000);
  expect(rows.length).toBeGreaterThan(expected.length + 5900); // those over two lines are two
  expect(joined(rows, expected)).toEqual(expected);
});

const LARGE = '18364758544493064720';

test.each([
  [['--where', 'field=large', '--where', 'line=22'], [`{"value":"${LARGE}"}`]],
  [['--where', `value=${LARGE}`], [`{"value":"${LARGE}"}`]],
  [['--where', 'value=0xfedcba9876543210', '--where', 'kind=store'], [`{"value":"${LARGE}"}`]],
  [['--where', 'value=18364758544493064721'], []],
  [['--where', 'value=18364758544493064720.5'], []],
  [['--where', `value>=${LARGE}`, '--where', `value<=${LARGE}`], [`{"value":"${LARGE}"}`]],
  [['--where', 'field=half'], ['{"value":"4602678819172646912"}']],
  [['--where', 'value=', '--where', 'variable=word', '--where', 'line=20'], Array(4).fill('{"value":null}')],
])('JSON lines of %j', (where, expected) => {
  const rows = outputOf(['stream', trace, '--columns', 'value', ...where])
    .split('\n')
    .slice(0, -1);
  expect(rows).toEqual(expected);
});

test('Arrow, SQL, a dataset and a pipe have the same', () => {
  const rows = outputOf(['stream', trace, '--columns', 'value', '--format', 'csv']).split('\n').slice(1, -1);
  const bytes = execFileSync(join(ROOT, 'bin/dprof'), ['stream', trace, '--columns', 'value', '--format', 'arrow'], {
    maxBuffer: 1 << 30,
  });
  const table = tableFromIPC(bytes);
  expect(String(table.schema.fields[0].type)).toBe('Uint64');
  expect(table.toArray().map((row) => String((row as { value: bigint | null }).value ?? ''))).toEqual(rows);
  const question = ['select value from refs', '--format', 'csv'];
  expect(
    outputOf(['sql', trace, ...question])
      .split('\n')
      .slice(1, -1),
  ).toEqual(rows);
  const dataset = join(folder, 'valued.dataset');
  outputOf([
    'export',
    trace,
    '--to',
    'dataset',
    '-o',
    dataset,
    '--columns',
    'value,kind',
    '--where',
    `value!=${LARGE}`,
  ]);
  expect(
    outputOf(['sql', dataset, 'select value from refs order by number', '--format', 'csv']).split('\n').slice(1, -1),
  ).toEqual(rows.filter((value) => value !== LARGE));
  const piped = execFileSync(
    'sh',
    ['-c', `${join(ROOT, 'bin/dprof')} stream - --columns value --format csv < ${trace}`],
    {
      maxBuffer: 1 << 30,
      encoding: 'utf8',
    },
  );
  expect(piped.split('\n').slice(1, -1)).toEqual(rows);
});

const CELLS = `#include <stdlib.h>
  struct cell { long now, before; } *cells;
  int main(void) {
    cells = calloc(1000, sizeof *cells);
    for (int round = 0; round < 100; round++)
      for (int i = 0; i < 1000; i++) {
        cells[i].before = cells[i].now;
        if (i % 10 == 0) cells[i].now = round;
      }
    return 0;
  }
`;

test('the question of docs/values.md', () => {
  writeFileSync(join(folder, 'cells.c'), CELLS);
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', '-fdprof-values', 'cells.c', '-o', 'cells'], { cwd: folder });
  const recorder = ['record', '-o', 'cells.dptrace', '--', './cells'];
  execFileSync(join(ROOT, 'bin/dprof'), recorder, { cwd: folder, stdio: 'pipe' });
  const [, query] = /dprof sql TRACE "([^"]+)"/.exec(readFileSync(join(ROOT, 'docs/values.md'), 'utf8'))!;
  expect(JSON.parse(outputOf(['sql', join(folder, 'cells.dptrace'), query, '--format', 'json']))).toEqual([
    { function: 'main', line: 7, stores: 100_000, needless: 900 * 99 + 100 },
    { function: 'main', line: 8, stores: 10_000, needless: 100 }, // the first zeros
    { function: 'main', line: 4, stores: 1, needless: 0 },
  ]);
});

test('a kernel in TypeScript', () => {
  const kernel = join(folder, 'largest.ts');
  writeFileSync(
    kernel,
    `import { kernel } from 'dprof';
     export default kernel({
       columns: ['value'],
       start: () => ({ none: 0, sum: 0n }),
       batch({ count, value }, state) {
         for (let row = 0; row < count; row++) {
           const own = value.at(row);
           if (own === null) state.none++;
           else state.sum += own;
         }
       },
       merge: (a, b) => ({ none: a.none + b.none, sum: a.sum + b.sum }),
       end: ({ none, sum }) => [{ none, sum: String(sum) }],
     });
`,
  );
  const question = 'select count(*) filter (value is null) as none, sum(value)::varchar as sum from refs';
  const expected = JSON.parse(outputOf(['sql', trace, question, '--format', 'json'])) as unknown;
  expect(JSON.parse(outputOf(['kernel', kernel, trace, '--format', 'json']))).toEqual(expected);
});

test.each([
  [['stream', '--columns', 'value']],
  [['stream', '--columns', 'kind', '--where', 'value=1', '--engine', 'ts']],
  [['export', '--to', 'dataset', '-o', join(folder, 'none'), '--columns', 'value']],
])('%j of a trace without values', ([command, ...words]) => {
  const { status, stdout, stderr } = runDprof([command, without, ...words]);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('the trace has no values');
  expect(stderr).toContain('dprof-cc -fdprof-values');
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
});

test('SQL says so beside the rows', () => {
  const { status, stdout, stderr } = runDprof(['sql', without, 'select count(value) n from refs', '--format', 'json']);
  expect([status, JSON.parse(stdout)]).toEqual([0, [{ n: 0 }]]);
  expect(stderr).toContain('value is null in all rows of refs: compile the program with dprof-cc -fdprof-values');
  expect(runDprof(['sql', without, 'select count(*) n from refs']).stderr).not.toContain('-fdprof-values');
});
