// Stage: test. Two runs compared as a user does, with numbers that can be counted on paper.
//
// A server makes `requests` requests, each behind the mark `request`: it loads 2 lines of struct session that nobody
// touched before, and stores to one struct cache line each time. The one of after stores to struct log instead, loads 3
// lines, and keeps the lines of a session between two requests:
//
//              requests   L1 misses of session   of cache   of log     loads   stores
//   before            4                  4 * 2          1        -         8        4
//   after            10                 10 * 3          -        1        30       10

import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { EventCode, MarkKind } from '../../src/trace/layout.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';
import { runDprof } from './command-client.js';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);
let before: string;
let after: string;

const SESSIONS_AT = 0x10_0000;
const OTHER_AT = 0x20_0000n;

function writeServer(requests: number, linesEach: number, stored: 'cache' | 'log'): Uint8Array {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const session = unit.type('struct', 'struct session', 64, { members: [{ name: 'id', type: long, offset: 0 }] });
  const other = unit.type('struct', `struct ${stored}`, 64, { members: [{ name: 'head', type: long, offset: 0 }] });
  const serve = unit.function('serve');
  const load = unit.alone('segment', [unit.slot('load', { type: session, path: 'id', function: serve, line: 10 })], {
    instructions: 2,
    function: serve,
  });
  const store = unit.alone('segment', [unit.slot('store', { type: other, path: 'head', function: serve, line: 20 })], {
    instructions: 4,
    function: serve,
  });
  const writer = new TraceWriter({
    process: { command: ['./server'], executable: '/tmp/server', cpus: 1, randomised: false },
  });
  writer.module('/tmp/server', [writeUnit(unit.unit)], []);
  let line = 0;
  writer.events(
    0,
    Array.from({ length: requests }, (_, request) => [
      { code: EventCode.mark, detail: MarkKind.phase, stamp: BigInt(100 + request), value: 0n, text: 'request' },
      ...Array.from({ length: linesEach }, () => ({ path: load, words: [BigInt(SESSIONS_AT + 64 * line++)] })),
      { path: store, words: [OTHER_AT] },
    ]).flat(),
  );
  return writer.finish({ exit: { code: 0 } });
}

beforeAll(() => {
  before = saveTrace(folder, 'before.dptrace', writeServer(4, 2, 'cache'));
  after = saveTrace(folder, 'after.dptrace', writeServer(10, 3, 'log'));
});

function output(...words: string[]): string {
  const { status, stdout, stderr } = dprof('diff', ...words);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const json = (...words: string[]): any => JSON.parse(output(...words, '--format', 'json'));
const brief = (row: any): unknown[] => [
  row.type,
  row.field,
  row.presence,
  row.levels.l1.misses.before,
  row.levels.l1.misses.after,
  row.levels.l1.misses.change,
  row.loads.change,
  row.stores.change,
];

test.each([[], ['--engine', 'ts']])('types and fields with what changed most first %j', (...flags) => {
  const diff = json(before, after, ...flags);
  expect(diff).toMatchObject({
    schema: 'dprof.diff/1',
    per: null,
    sort: 'cycles',
    level: 'llc',
    madeDifferently: [],
    before: { name: before, marks: [{ name: 'request', times: 4 }] },
    after: { name: after, marks: [{ name: 'request', times: 10 }] },
  });
  expect(diff.rows.map(brief)).toEqual([
    ['struct session', null, 'both', 8, 30, 22, 22, 0],
    ['struct session', 'id', 'both', 8, 30, 22, 22, 0],
    ['struct cache', null, 'vanished', 1, 0, -1, 0, -4],
    ['struct cache', 'head', 'vanished', 1, 0, -1, 0, -4],
    ['struct log', null, 'appeared', 0, 1, 1, 0, 10],
    ['struct log', 'head', 'appeared', 0, 1, 1, 0, 10],
  ]);
  expect(diff.totals.references).toEqual({ before: 12, after: 40, change: 28 });
  expect(diff.totals.levels.l1.classes.compulsory).toEqual({ before: 9, after: 31, change: 22 });
});

test('per mark, both are divided by how often it was set', () => {
  for (const per of ['request', 'mark:request']) {
    const diff = json(before, after, '--per', per);
    expect(diff.per).toEqual({ by: 'mark', name: 'request', unit: 1, before: 4, after: 10 });
    const [session, , log] = diff.rows.filter(({ field }: any) => field === null);
    expect(session.levels.l1.misses).toEqual({
      before: 8,
      after: 30,
      change: 22,
      perWork: { before: 2, after: 3, change: 1 },
    });
    // 0.1 of a miss came with struct log, 0.25 went with struct cache, which so stands before it.
    expect([log.type, log.levels.l1.misses.perWork]).toEqual(['struct log', { before: 0, after: 0.1, change: 0.1 }]);
    expect(diff.rows.filter(({ field }: any) => field === null).map(({ type }: any) => type)).toEqual([
      'struct session',
      'struct cache',
      'struct log',
    ]);
  }
});

test('text, per request', () => {
  const home = process.cwd();
  onTestFinished(() => process.chdir(home));
  process.chdir(folder);
  const text = output('before.dptrace', 'after.dptrace', '--per', 'request');
  expect(
    text,
  ).toBe(`before       before.dptrace: ./server (exited with status 0); default, 1 core, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes; 1 thread, schedule logical; 12 references in 32 instructions of replay
             time
after        after.dptrace: ./server (exited with status 0); default, 1 core, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes; 1 thread, schedule logical; 40 references in 100 instructions of replay
             time
per          mark "request": counts are divided by the times it was set, 4 before, 10 after
changed      estimated cycles from 450 to 620 (+170, 1.38 x); LLC misses from 2.250 to 3.100 (+0.850, 1.38 x), +127.5 of these cycles; most of it LLC compulsory from 2.250 to 3.100 (+0.850, 1.38 x)

all types, per unit of work
all types                    before  after   change  after : before
───────────────────────────  ──────  ─────  ───────  ──────────────
references                        3      4       +1          1.33 x
estimated cycles                450    620     +170          1.38 x
  by L1 misses               22.500     31   +8.500          1.38 x
  by L2 misses                   81  111.6  +30.600          1.38 x
  by LLC misses               337.5    465   +127.5          1.38 x
L1 misses                     2.250  3.100   +0.850          1.38 x
L2 misses                     2.250  3.100   +0.850          1.38 x
LLC misses                    2.250  3.100   +0.850          1.38 x
  compulsory                  2.250  3.100   +0.850          1.38 x
latency, cycles                 453  623.6   +170.6          1.38 x
instructions of replay time       8     10       +2          1.25 x

types and fields by change of estimated cycles, per unit of work
type and field  before  after  est. cycles  LLC misses  most of it       L1 misses  L2 misses  c2c  references  presence
──────────────  ──────  ─────  ───────────  ──────────  ───────────────  ─────────  ─────────  ───  ──────────  ────────
struct session     400    600         +200          +1  compulsory 100%         +1         +1    0          +1
  id               400    600         +200          +1  compulsory 100%         +1         +1    0          +1
struct cache        50      0          -50      -0.250  compulsory 100%     -0.250     -0.250    0          -1  vanished
  head              50      0          -50      -0.250  compulsory 100%     -0.250     -0.250    0          -1  vanished
struct log           0     20          +20      +0.100  compulsory 100%     +0.100     +0.100    0          +1  appeared
  head               0     20          +20      +0.100  compulsory 100%     +0.100     +0.100    0          +1  appeared
all types          450    620         +170      +0.850  compulsory 100%     +0.850     +0.850    0          +1
  3 of 3 types that changed, of 3; at most 6 fields of each. All columns but the first three are changes. most of it: the class of LLC misses that changed most, and by how much of that change. c2c:
  references served by another core's cache. est. cycles: latency of the accesses that missed the L1. presence: appeared = only the second run has it, vanished = only the first. before: estimated
  cycles, and so after.
`);
});

test('--top cuts types, and what has not changed is in no text', () => {
  const rows = (...words: string[]): string[] =>
    output(...words)
      .split('\n')
      .filter((line) => line.startsWith('struct'));
  expect(rows(before, after, '--top', '1')).toEqual([
    'struct session   1,600  6,000       +4,400         +22  compulsory 100%        +22        +22    0         +22',
  ]);
  expect(rows(before, before)).toEqual([]);
  expect(output(before, before)).toContain('0 of 0 types that changed, of 2;');
});

test('CSV has the rows, before, after and change of each number', () => {
  const [head, session] = output(before, after, '--format', 'csv').split('\n');
  expect(head.split(',').slice(0, 6)).toEqual([
    'type',
    'field',
    'presence',
    'references.before',
    'references.after',
    'references.change',
  ]);
  expect(session.split(',').slice(0, 6)).toEqual(['struct session', '', 'both', '8', '30', '22']);
});

test('profiles are compared as traces are, a profile with a trace too, and --type leaves the totals', () => {
  for (const [trace, profile] of [
    [before, at('before.dprofile')],
    [after, at('after.dprofile')],
  ])
    dprof('replay', trace, '-o', profile);
  const whole = json(before, after);
  for (const sides of [
    [at('before.dprofile'), at('after.dprofile')],
    [before, at('after.dprofile')],
  ]) {
    const diff = json(...sides);
    expect([diff.rows, diff.totals]).toEqual([whole.rows, whole.totals]);
  }
  const log = json(before, after, '--type', 'struct log');
  expect([log.rows, log.totals]).toEqual([whole.rows.filter(({ type }: any) => type === 'struct log'), whole.totals]);
});

test('a window of both: requests in it are counted', () => {
  const diff = json(before, after, '--from', 'mark:request#2', '--per', 'request');
  // The second request's mark is the border, and before it.
  expect(diff.per).toMatchObject({ before: 2, after: 8 });
  expect(diff.rows[0].levels.l1.misses).toMatchObject({ before: 6, after: 27 });
});

test('what was made differently is said first, and loudly', () => {
  const small = at('small.dprofile');
  dprof('replay', before, '--l1', '16K/4', '--schedule', 'random:1', '-o', small);
  const lines = output(small, after)
    .split('\n')
    .filter((line) => line.startsWith('DIFFERENT'));
  expect(lines).toEqual([
    'DIFFERENT    machine l1.sizeBytes: 16384 before, 32768 after; misses differ for that alone; replay both ' +
      'on the same machine',
    'DIFFERENT    machine l1.ways: 4 before, 8 after; misses differ for that alone; replay both on the same machine',
    'DIFFERENT    schedule: random:1 before, logical after; other orders of the threads have other sharing; ' +
      'replay both with the same --schedule',
  ]);
});

test.each<[words: () => string[], status: number, stderr: () => string]>([
  [
    () => [before, after, '--per', 'requests'],
    1,
    () => `dprof: --per requests: ${before} has no such mark\nhint: its marks: 'request'\n`,
  ],
  [
    () => [before, saveTrace(folder, 'pair.dptrace', writePairTrace().finish()), '--per', 'request'],
    1,
    () =>
      `dprof: --per request: ${at('pair.dptrace')} has no such mark\nhint: it has no marks at all: the program ` +
      `sets them with dprof_mark("name") of dprof.h; --per instructions and --per references need none\n`,
  ],
  [
    () => [before, after, '--type', 'struct sesion'],
    1,
    () =>
      "dprof: no type in either profile is named 'struct sesion'\nhint: did you mean 'struct session', 'struct " +
      "log', 'struct cache'?\n",
  ],
  [
    () => [before, after, '--schedules', '4'],
    2,
    () =>
      'dprof: --schedules does nothing here: a comparison is under one schedule\nhint: name it: --schedule random:1\n',
  ],
  [
    () => [before, after, '--machine', 'zen2', '--machine', 'zen3'],
    2,
    () => 'dprof: --machine is given 2 times, and this is about one machine\nhint: give one --machine\n',
  ],
  [
    () => [before],
    2,
    () =>
      "dprof: missing required argument 'after'\nhint: 'dprof --help' and 'dprof COMMAND --help' list what there is\n",
  ],
  [
    () => [before, after, '--format', 'html'],
    2,
    () => 'dprof: --format html writes a file, and none is named\nhint: name it: -o diff.html\n',
  ],
  [
    () => [before, after, '-o', at('diff.txt')],
    2,
    () =>
      `dprof: -o is for --format html, and text is printed\nhint: give --format html, or leave -o out and ` +
      `redirect: > ${at('diff.txt')}\n`,
  ],
  [
    () => [before, after, '--format', 'html', '-o', at('none/diff.html')],
    1,
    () => `dprof: cannot write the report ${at('none/diff.html')} (ENOENT)\nhint: choose another place with -o\n`,
  ],
  [() => ['-', '-'], 2, () => 'dprof: standard input is one trace\nhint: name the other as a file\n'],
  [
    () => [at('before.dprofile'), at('after.dprofile'), '--l1', '16K/8'],
    2,
    () =>
      'dprof: --l1 does nothing for two profiles, which were replayed already\nhint: give the traces instead ' +
      'of the profiles\n',
  ],
])('what cannot be compared is refused', (words, status, stderr) => {
  expect(dprof('diff', ...words())).toEqual({ status, stdout: '', stderr: stderr() });
});

test.each<[width: string, unchanged: string, explained: string[]]>([
  ['200', 'three', ['most of it', 'c2c', 'est. cycles']],
  ['100', 'three', ['most of it', 'c2c', 'est. cycles']],
  ['70', 'two', ['most of it', 'est. cycles']],
])('at a width of %s the columns are explained that there is room for', (COLUMNS, unchanged, explained) => {
  const { stdout } = runDprof(['diff', before, after], { COLUMNS });
  const text = stdout.slice(stdout.indexOf('types and fields by change')).split('\n\n')[0].replace(/\s+/g, ' ');
  expect(['most of it', 'c2c', 'est. cycles'].filter((heading) => text.includes(`${heading}: `))).toEqual(explained);
  expect(text).toContain(` All columns but the first ${unchanged} are changes. most of it: `);
});
