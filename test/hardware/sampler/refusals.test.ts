// Stage: test. What can not be sampled: one line, what would allow it, the exit status, no file, and no program that
// was started in vain.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NATIVE } from '../../../src/cli/installation.js';
import { DPROF, run, type Outcome } from '../../cli/command-line.js';
import { build as buildHistories, REGISTERS_ARE_DENIED } from '../histories/history-programs.js';
import { build, folder } from './sampled-runs.js';

const file = join(folder, 'refused.dpsamples');
const trace = join(folder, 'started');
const words = (flags: readonly string[], ...command: string[]): string[] => [
  'sample',
  '-o',
  file,
  ...flags,
  '--',
  ...command,
];
const NOTHING_SAMPLES = spawnSync(NATIVE.sampler, ['--which']).status !== 0;

function refused(outcome: Outcome, line: RegExp, hint: RegExp): void {
  expect(outcome).toMatchObject({ status: 1, stdout: '' });
  const [first, second, ...rest] = outcome.stderr.split('\n');
  expect(first).toMatch(line);
  expect(second).toMatch(hint);
  expect(rest).toEqual(['']);
  for (const path of [file, `${file}.incomplete`, trace]) expect(existsSync(path)).toBe(false);
}

test.skipIf(!NOTHING_SAMPLES)('a machine where nothing samples memory', () => {
  refused(
    run(DPROF, ...words([], 'touch', trace)),
    /^dprof: nothing samples memory accesses here: no PMU with mem-loads, ibs_op or arm_spe in \/sys\/bus\/event_source\/devices$/,
    /^hint: dprof record sees every access without one; dprof history watches objects with debug registers; or perf mem record on another machine, and dprof import$/,
  );
});

test.each([
  [
    1,
    /^dprof: perf_event_open is forbidden here \(Operation not permitted, perf_event_paranoid is -?\d\): a seccomp profile, as containers have$/,
    /^hint: docker run --cap-add PERFMON /,
  ],
  [
    13,
    /^dprof: the kernel refuses page-faults \(Permission denied\): perf_event_paranoid is -?\d$/,
    /^hint: sysctl kernel\.perf_event_paranoid=2, or run it with CAP_PERFMON$/,
  ],
  [95, /^dprof: this kernel or machine does not take page-faults \(Operation not supported\)$/, /dprof doctor/],
] as const)('perf_event_open answers %i', (error, line, hint) => {
  refused(
    run(
      buildHistories('denied.c'),
      String(error),
      process.execPath,
      DPROF,
      ...words(['--event', 'page-faults'], 'touch', trace),
    ),
    line,
    hint,
  );
});

test.skipIf(REGISTERS_ARE_DENIED)('a debug register that somebody else has', () => {
  refused(
    run(
      buildHistories('held.c'),
      '4',
      process.execPath,
      DPROF,
      ...words(['--event', 'mem:0x404028/8'], 'touch', trace),
    ),
    /^dprof: the debug registers are in use: 0 of 1 can be had$/,
    /^hint: end the debugger or the perf that has them$/,
  );
});

test.skipIf(REGISTERS_ARE_DENIED)('an address that is no multiple of its length', () => {
  refused(
    run(DPROF, ...words(['--event', 'mem:0x404029/8'], 'touch', trace)),
    /^dprof: the kernel does not take mem:0x404029\/8 as a breakpoint \(Invalid argument\)$/,
    /^hint: an address is a multiple of its length/,
  );
});

test('a place where nothing can be written', () => {
  const nowhere = join(folder, 'no', 'where.dpsamples');
  expect(run(DPROF, 'sample', '-o', nowhere, '--event', 'page-faults', '--', 'touch', trace)).toEqual({
    status: 1,
    stdout: '',
    stderr: `dprof: cannot write ${nowhere}: No such file or directory\nhint: choose another place with -o\n`,
  });
  expect(existsSync(trace)).toBe(false);
});

const mounts = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

test.skipIf(!mounts)('a full disk: the program runs to its end, and no file is left', () => {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const command =
    `mount -t tmpfs -o size=64k tmpfs ${disk} && head -c 60000 /dev/zero >${disk}/other; ${process.execPath} ` +
    `${DPROF} sample --quiet --raw -o ${disk}/full.dpsamples --event page-faults -- ${build()} pages; echo ` +
    `status $?; ls ${disk}`;
  const { stdout, stderr } = run('unshare', '-m', 'sh', '-c', command);
  expect([stdout, stderr]).toEqual([
    'status 1\nother\n',
    `dprof: cannot write ${disk}/full.dpsamples: No space left on device\nhint: make room, or choose another ` +
      `place with -o\n`,
  ]);
});

test('a program that is not there, and one that is no program', () => {
  expect(run(DPROF, ...words(['--event', 'page-faults'], join(folder, 'nobody')))).toEqual({
    status: 127,
    stdout: '',
    stderr:
      `dprof: can not run ${join(folder, 'nobody')}: No such file or directory\nhint: give its path, as in ` +
      `./nobody\n`,
  });
  const text = join(folder, 'text');
  writeFileSync(text, 'no program');
  expect(run(DPROF, ...words(['--event', 'page-faults'], text))).toEqual({
    status: 126,
    stdout: '',
    stderr: `dprof: can not run ${text}: Permission denied\nhint: is it an executable file?\n`,
  });
  expect(existsSync(file)).toBe(false);
});

test('a program that is linked statically', () => {
  const outcome = run(DPROF, ...words(['--event', 'page-faults'], build('gcc', '-static'), 'pages'));
  refused(
    outcome,
    /is linked statically, or does not take preloaded libraries: its allocations can not be seen$/,
    /^hint: link it dynamically/,
  );
});

test('a sampler that is killed: the program goes on without it', () => {
  const outcome = run(DPROF, 'sample', '-o', file, '--event', 'page-faults', '--', build(), 'orphan');
  expect(outcome).toEqual({
    status: 137,
    stdout: 'went on\n',
    stderr:
      `dprof: the collector was killed (SIGKILL)\nhint: ${file}.incomplete is no whole file of samples; run it ` +
      `again\n`,
  });
  rmSync(`${file}.incomplete`);
});

test('another user: what is not allowed is named, and what is allowed works', () => {
  if (process.getuid?.() !== 0) return;
  execFileSync('chmod', ['777', folder]);
  const own = join(folder, 'own.dpsamples');
  const outcome = run(
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    process.execPath,
    DPROF,
    'sample',
    '--quiet',
    '-o',
    own,
    '--event',
    'page-faults',
    '--',
    build(),
    'pages',
  );
  expect(outcome).toEqual({ status: 3, stdout: '', stderr: '' });
  const kernel = run(
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    process.execPath,
    DPROF,
    ...words(['--kernel', '--event', 'page-faults'], 'touch', trace),
  );
  refused(
    kernel,
    /^dprof: the kernel refuses page-faults \(Permission denied\): perf_event_paranoid is [2-4]$/,
    /^hint: sysctl kernel\.perf_event_paranoid=1, or run it with CAP_PERFMON$/,
  );
});

test.each([
  [
    ['--period', '7'],
    'dprof: --period is that of --event\nhint: --period-loads and --period-stores are those of loads and stores\n',
  ],
  [
    ['--event', 'page-faults', '--latency', '3'],
    'dprof: --latency does nothing for --event\nhint: as part of the event: cpu/mem-loads,ldlat=30/P\n',
  ],
  [
    ['--period-loads', '0'],
    `dprof: --period-loads: '0' is not a whole number from 1 to ${Number.MAX_SAFE_INTEGER}\nhint: for example ` +
      `--period-loads 1\n`,
  ],
  [['--buffer', '5M'], "dprof: --buffer: '5M' is not a power of two from 4K to 1G\nhint: for example --buffer 16M\n"],
  [['--buffer', '2K'], "dprof: --buffer: '2K' is not a power of two from 4K to 1G\nhint: for example --buffer 16M\n"],
] as const)('wrong usage: %j', (flags, stderr) => {
  expect(run(DPROF, 'sample', ...flags, '--', 'true')).toEqual({ status: 2, stdout: '', stderr });
});
