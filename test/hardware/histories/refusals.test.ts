// Stage: test. What can not be watched: one line, the setting that would allow it, exit status 1, no file.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHistories } from '../../../src/hardware/histories/histories-reader.js';
import { DPROF, run, type Outcome } from '../../cli/command-line.js';
import { build, folder, REGISTERS_ARE_DENIED } from './history-programs.js';

const file = join(folder, 'refused.dphistories');
const words = (...command: string[]): string[] => ['history', '-o', file, '--type', 'struct packet', '--', ...command];

function refused(outcome: Outcome, line: RegExp, hint: RegExp): void {
  expect(outcome).toMatchObject({ status: 1, stdout: '' });
  const [first, second, ...rest] = outcome.stderr.split('\n');
  expect(first).toMatch(line);
  expect(second).toMatch(hint);
  expect(rest).toEqual(['']);
  expect(existsSync(file)).toBe(false);
  expect(existsSync(`${file}.incomplete`)).toBe(false);
}

const LEFT = [
  [1, /^hint: end the debugger or the perf that has them, or ask for fewer: --registers 3$/],
  [2, /^hint: .*: --registers 2$/],
  [3, /^hint: .*: --registers 1$/],
  [4, /^hint: end the debugger or the perf that has them$/],
] as const;

test.skipIf(REGISTERS_ARE_DENIED).each(LEFT)(
  '%i registers that a perf has, here and in what is started',
  (held, hint) => {
    refused(
      run(build('held.c'), String(held), process.execPath, DPROF, ...words(build('packets.c'), '2', 'plain')),
      new RegExp(`^dprof: the debug registers are in use: ${4 - held} of 4 can be had$`),
      hint,
    );
  },
);

test.skipIf(REGISTERS_ARE_DENIED).each(LEFT)('%i registers that a debugger has of the program', (held, hint) => {
  const program = build('debugger.c', 'gcc', '-static');
  refused(
    run(DPROF, ...words(program, String(held), build('packets.c'), '2', 'plain')),
    new RegExp(`^dprof: the debug registers are in use: ${4 - held} of 4 can be had$`),
    hint,
  );
});

test.skipIf(REGISTERS_ARE_DENIED)('fewer registers, beside a debugger that has the others', () => {
  const outcome = run(
    DPROF,
    'history',
    '--quiet',
    '-o',
    file,
    '--type',
    'struct packet',
    '--one-in',
    '1',
    '--registers',
    '2',
    '--',
    build('debugger.c', 'gcc', '-static'),
    '2',
    build('packets.c'),
    '2',
    'plain',
  );
  expect(outcome).toEqual({ status: 0, stdout: '15\n', stderr: '' });
  const { rows, elements, end } = readHistories(file);
  expect([rows.type.length, elements.ip.length, end!.unwatchedThreads]).toEqual([2, 10, 0]);
  rmSync(file);
});

test.skipIf(REGISTERS_ARE_DENIED)('a limit of open files: threads beyond it are not watched, and counted', () => {
  const threads = 24;
  const outcome = run(
    '/bin/sh',
    '-c',
    `ulimit -n 64 && exec "$@"`,
    'sh',
    DPROF,
    'history',
    '--quiet',
    '-o',
    file,
    '--type',
    'struct subject',
    '--one-in',
    '1',
    '--',
    build('crowd.c'),
    String(threads),
  );
  expect(outcome).toEqual({ status: 0, stdout: `${threads}\n`, stderr: '' });
  const { rows, elements, end } = readHistories(file);
  // main stores once, each thread that is watched loads once.
  expect([rows.type.length, end!.threads, elements.ip.length]).toEqual([
    1,
    1 + threads,
    1 + threads - end!.unwatchedThreads,
  ]);
  expect(end!.unwatchedThreads).toBeGreaterThan(threads - 64 / 4);
  expect(end!.unwatchedThreads).toBeLessThan(threads);
  rmSync(file);
});

/** A file system of its own, of so few bytes; not everybody may mount one. */
const IN_LITTLE_ROOM = ['unshare', '-m', '/bin/sh', '-c', `mount -t tmpfs -o size=4k tmpfs "$0" && exec "$@"`];
const CANNOT_MOUNT = spawnSync(IN_LITTLE_ROOM[0], [...IN_LITTLE_ROOM.slice(1), folder, 'true']).status !== 0;

test.skipIf(REGISTERS_ARE_DENIED || CANNOT_MOUNT)(
  'a disk that is full: the program runs to its end, and one line says so',
  () => {
    const small = join(folder, 'small');
    mkdirSync(small);
    const outcome = run(
      IN_LITTLE_ROOM[0],
      ...IN_LITTLE_ROOM.slice(1),
      small,
      DPROF,
      'history',
      '-o',
      join(small, 'full.dphistories'),
      '--type',
      'struct packet',
      '--one-in',
      '1',
      '--',
      build('packets.c'),
      '300',
      'plain',
    );
    expect([outcome.status, outcome.stdout, outcome.stderr]).toEqual([
      1,
      '136350\n',
      `dprof: cannot write ${join(small, 'full.dphistories')}: No space left on device\nhint: make room, or ` +
        `choose another place with -o\n`,
    ]);
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('a device is no file', () => {
  const outcome = run(DPROF, 'history', '-o', '/dev/full', '--', build('packets.c'), '2', 'plain');
  expect(outcome).toEqual({
    status: 1,
    stdout: '',
    stderr: 'dprof: cannot write /dev/full: Invalid argument\nhint: choose another place with -o\n',
  });
});

test.each([
  [
    1,
    /^dprof: perf_event_open is forbidden here \(Operation not permitted, perf_event_paranoid is -?\d\): a seccomp profile, as containers have$/,
    /^hint: docker run --cap-add PERFMON /,
  ],
  [
    13,
    /^dprof: the kernel refuses debug registers \(Permission denied\): perf_event_paranoid is -?\d$/,
    /^hint: sysctl kernel\.perf_event_paranoid=2, or run it with CAP_PERFMON$/,
  ],
  [95, /^dprof: this machine has no debug registers for programs \(Operation not supported\)$/, /dprof doctor/],
] as const)('perf_event_open answers %i', (error, line, hint) => {
  refused(
    run(build('denied.c'), String(error), process.execPath, DPROF, ...words(build('packets.c'), '2', 'plain')),
    line,
    hint,
  );
});

test.skipIf(REGISTERS_ARE_DENIED)('a program that is linked statically', () => {
  const outcome = run(DPROF, ...words(build('lines.c', 'gcc', '-static')));
  refused(
    outcome,
    /is linked statically, or does not take preloaded libraries: its allocations can not be seen$/,
    /^hint: link it dynamically/,
  );
});

test.skipIf(REGISTERS_ARE_DENIED)(
  'a collector that is killed: the program goes on without it, and what was written can be reported on',
  () => {
    const outcome = run(
      DPROF,
      'history',
      '-o',
      file,
      '--type',
      'struct packet',
      '--one-in',
      '1',
      '--',
      build('packets.c'),
      '6',
      'orphan',
    );
    expect(outcome).toEqual({
      status: 137,
      stdout: '81\n',
      stderr:
        `dprof: the collector was killed (SIGKILL)\nhint: what it had written is in ${file}.incomplete, and can be ` +
        `reported on\n`,
    });
    const { truncated } = JSON.parse(run(DPROF, 'report', `${file}.incomplete`, '--format', 'json').stdout) as {
      truncated: boolean;
    };
    expect(truncated).toBe(true);
    rmSync(`${file}.incomplete`);
  },
);

test('a program that is not there', () => {
  expect(run(DPROF, ...words(join(folder, 'nobody')))).toMatchObject({
    status: REGISTERS_ARE_DENIED ? 1 : 127,
    stdout: '',
  });
});

test.skipIf(REGISTERS_ARE_DENIED)('a type of which nothing is allocated: what is', () => {
  const { status, stderr } = run(
    DPROF,
    'history',
    '--quiet',
    '-o',
    file,
    '--type',
    'struct nobody',
    '--',
    build('packets.c'),
    '2',
    'plain',
  );
  expect([status, stderr]).toEqual([
    1,
    'dprof: no allocation of struct nobody was seen\nhint: what it allocates: struct packet\n',
  ]);
});

test.each([
  [['--width', '3'], "dprof: --width: '3' is not what a register watches\nhint: one of 1, 2, 4 and 8 bytes\n"],
  [
    ['--registers', '5'],
    "dprof: --registers: '5' is not a whole number from 1 to 4\nhint: for example --registers 1\n",
  ],
  [['--cover', 'all'], "dprof: --cover: 'all' is neither single nor pairwise\nhint: for example --cover pairwise\n"],
  [
    ['--cover', 'pairwise', '--registers', '1'],
    'dprof: --cover pairwise watches two slots at once\nhint: --registers 2 or more\n',
  ],
] as const)('wrong usage: %j', (flags, stderr) => {
  expect(run(DPROF, 'history', ...flags, '--', 'true')).toEqual({ status: 2, stdout: '', stderr });
});
