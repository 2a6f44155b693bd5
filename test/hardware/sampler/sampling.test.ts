// Stage: test. Programs whose page faults and accesses are known by construction: exactly those are sampled.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dprof, DPROF, run } from '../../cli/command-line.js';
import { REGISTERS_ARE_DENIED } from '../histories/history-programs.js';
import { addressOf, build, countRows, counterEvent, folder, sample } from './sampled-runs.js';

const COUNTER = 'struct tally counter count';

test('page faults: one for each page of each object, by type, field and function', () => {
  const { status, typed } = sample(['--event', 'page-faults'], build(), 'pages');
  expect([status, typed.ended, typed.lost]).toEqual([
    3,
    'exited with status 3',
    { records: 0, samples: 0, throttles: 0, truncatedAux: 0, outOfOrder: 0, skipped: {} },
  ]);
  const counts = countRows(typed);
  expect(Object.fromEntries(Object.entries(counts).filter(([what]) => / touch$/.test(what)))).toEqual({
    'struct grid cells[] touch': 64,
    'struct strip cells[] touch': 45,
    'struct strip head[] touch': 3,
    'struct board squares[] touch': 8,
  });
  const grid = typed.types.findIndex(({ name }) => name === 'struct grid');
  const offsets = Array.from(typed.rows.offset).filter((_, row) => typed.rows.type[row] === grid);
  expect(offsets).toEqual(Array.from({ length: 64 }, (_, page) => BigInt(4096 * page)));
});

test('a period of page faults: one in ten, each of which stands for ten', () => {
  const { typed } = sample(['--event', 'page-faults', '--period', '10'], build(), 'pages');
  const [{ samples }] = typed.events;
  expect(samples).toBeGreaterThanOrEqual(12); // 120 pages, and those of the C library
  expect(typed.rows.period.reduce((sum, period) => sum + period, 0n)).toBe(BigInt(10 * samples));
  expect(typed.rows.periodSquares.reduce((sum, squares) => sum + squares, 0)).toBe(100 * samples);
});

test.skipIf(REGISTERS_ARE_DENIED).each([
  ['rw', 2000],
  ['w', 1000],
] as const)('a debug register, %s: every access, by its instruction', (access, samples) => {
  const program = build();
  const { status, typed, columns } = sample(
    ['--raw', '--event', counterEvent(program, access)],
    program,
    'count',
    '1000',
  );
  expect([status, countRows(typed)]).toEqual([3, { [COUNTER]: samples }]);
  const at = new Set(
    Array.from(
      typed.rows.place,
      (place) => `${typed.places[place].file.split('/').pop()}:${typed.places[place].line} ${typed.places[place].ip}`,
    ),
  );
  expect([...at].map((text) => text.split(' ')[0])).toEqual(Array(access === 'rw' ? 2 : 1).fill('known.c:39'));
  expect(columns.time.length).toBe(samples);
  expect(Array.from(columns.time)).toEqual(Array.from(columns.time).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  expect(new Set(columns.address)).toEqual(new Set([BigInt(addressOf(program, 'tally') + 8)]));
});

test.skipIf(REGISTERS_ARE_DENIED)('a debug register on an instruction: every call', () => {
  const program = build();
  const { typed } = sample(['--event', `mem:${addressOf(program, 'count')}:x`], program, 'threads', '1');
  expect([typed.events[0].samples, countRows(typed)]).toEqual([8, { '(code)': 8 }]);
  expect(Array.from(new Set(typed.rows.place), (place) => typed.places[place].function)).toEqual(['count']);
});

test.skipIf(REGISTERS_ARE_DENIED)('threads: each access of each, and their names', () => {
  const program = build();
  const { typed, columns } = sample(['--raw', '--event', counterEvent(program)], program, 'threads', '200');
  const by = new Map<number, number>();
  for (const tid of columns.tid) by.set(tid, (by.get(tid) ?? 0) + 1);
  expect([...by.values()]).toEqual(Array(8).fill(400));
  expect(countRows(typed)).toEqual({ [COUNTER]: 3200 });
  expect(
    typed.names
      .filter(({ name }) => name === 'counter')
      .map(({ tid }) => tid)
      .toSorted(),
  ).toEqual([...by.keys()].toSorted());
  expect([
    typed.changes.filter(({ kind }) => kind === 'fork').length,
    typed.changes.filter(({ kind }) => kind === 'exit').length,
  ]).toEqual([8, 9]);
});

test.skipIf(REGISTERS_ARE_DENIED)('a forked child: its samples are there, without a type', () => {
  const program = build();
  expect(countRows(sample(['--event', counterEvent(program)], program, 'fork', '100').typed)).toEqual({
    [COUNTER]: 200,
    '(other-process)': 400,
  });
});

test.skipIf(REGISTERS_ARE_DENIED)('a program in the place of another', () => {
  const program = build();
  expect(countRows(sample(['--event', counterEvent(program)], program, 'exec', '100').typed)).toEqual({
    [COUNTER]: 400,
  });
  expect(
    countRows(sample(['--event', counterEvent(program)], '/bin/sh', '-c', `exec ${program} count 100`).typed),
  ).toEqual({ [COUNTER]: 200 });
});

test.skipIf(REGISTERS_ARE_DENIED)('a program that is killed: all that was sampled is there', () => {
  const program = build();
  const { status, typed } = sample(['--event', counterEvent(program)], program, 'kill', '50');
  expect([status, typed.ended, countRows(typed)]).toEqual([137, 'killed by SIGKILL', { [COUNTER]: 100 }]);
});

test.skipIf(REGISTERS_ARE_DENIED)('what finds no room is counted: taken and lost are all', () => {
  const program = build();
  const { typed } = sample(['--buffer', '4K', '--event', counterEvent(program)], program, 'stop', '5000');
  expect(typed.lost.records).toBeGreaterThan(9800); // a page holds 85 samples, of two processors
  expect(typed.events[0].samples + typed.lost.records).toBe(10_002);
});

test('periods are drawn for threads: within a tenth, and not one for all', () => {
  const { typed, columns } = sample(
    ['--raw', '--event', 'software/config=0/', '--period', '1000000'],
    build(),
    'spin',
    '200000000',
  );
  const periods = new Set(columns.period);
  expect(typed.events[0].samples).toBeGreaterThan(20);
  expect([...periods].filter((period) => period < 900_000n || period > 1_100_000n)).toEqual([]);
  expect(periods.size).toBeGreaterThan(1);
});

test('progress in a log: none, or from the first second on', () => {
  const [none, some] = ['0', '1'].map((wish) => {
    const words = ['sample', '--quiet', '-o', join(folder, `wish-${wish}`), '--event', 'page-faults', '--'];
    return run('/usr/bin/env', `DPROF_PROGRESS=${wish}`, DPROF, ...words, 'sleep', '1.5').stderr;
  });
  expect(none).toBe('');
  expect(some).toMatch(/^dprof: sleep: \d+ samples, \d+ a second, 1 s\n$/);
});

test.skipIf(REGISTERS_ARE_DENIED)('with a trace of the same run: the recorder is no part of the samples', () => {
  const program = build('dprof-cc');
  const trace = join(folder, 'known.dptrace');
  // clang adds in memory: load and store are one trap.
  const { status, typed } = sample(['--trace', trace, '--event', counterEvent(program)], program, 'count', '100');
  expect([status, typed.trace, countRows(typed)]).toEqual([3, trace, { [COUNTER]: 100 }]);
  expect(existsSync(trace)).toBe(true);
  expect(typed.modules.find(({ file }) => file === program)).toMatchObject({ isInstrumented: true });
});

test.skipIf(REGISTERS_ARE_DENIED)('what is printed behind a run, and what a dump says', () => {
  const program = build();
  const event = counterEvent(program);
  const file = join(folder, 'printed.dpsamples');
  const { status, stdout, stderr } = dprof(
    'sample',
    '--raw',
    '-o',
    file,
    '--event',
    event,
    '--',
    program,
    'count',
    '30',
  );
  expect([status, stderr]).toEqual([3, '']);
  expect(
    stdout
      .replace(/\d+\.\d{3} s/, 'T s')
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual([
    `program      ${program} count 30 (exited with status 3; T s, 1 thread)`,
    `samples      60 of ${event}, one in 1`,
    'lost         nothing',
    '',
    'samples by type',
    'type          samples   share',
    '────────────  ───────  ──────',
    'struct tally       60  100.0%',
    '  Every one of these events was to be a sample: shares are of the 60 samples.',
    '',
  ]);
  const lines = dprof('dump', file).stdout.split('\n');
  expect(
    lines
      .filter((line) => line.startsWith('row '))
      .map((line) =>
        line
          .replace(/ip 0x\w+/, 'ip I')
          .replace(/cpu \d/, 'cpu C')
          .replace(/"?\/\S*known\.c/, 'known.c'),
      )
      .join('\n'),
  ).toMatch(/^(row "struct tally"\+8 counter ip I count known\.c:39 cpu C mem:\S+ samples \d+ period \d+\n?)+$/);
  expect(
    lines
      .filter((line) => line.startsWith('sample '))
      .map((line) => / address 0x\w+ period 1 "struct tally"\+8 counter at ip 0x\w+ count \S*known\.c:39$/.test(line)),
  ).toEqual(Array(60).fill(true));
});
