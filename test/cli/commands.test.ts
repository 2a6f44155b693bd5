// Stage: test. What each command prints, writes and answers when all is well.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { INSTALLATION, NATIVE } from '../../src/cli/installation.js';
import { dprof, DPROF, makeFolder, saveTrace, withoutNext, writePairTrace } from './command-line.js';

const folder = makeFolder();
let trace: string;
let profile: string;

beforeAll(() => {
  trace = saveTrace(folder, 'pair.dptrace', writePairTrace(10).finish({ exit: { code: 3 } }));
  profile = join(folder, 'pair.dprofile');
  expect(dprof('replay', trace, '-o', profile, '--engine', 'ts')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('a report of a trace and of its profile are the same', () => {
  const fromTrace = dprof('report', trace, '--view', 'all', '--engine', 'ts');
  expect(fromTrace).toMatchObject({ status: 0, stderr: '' });
  const { stdout } = fromTrace;
  expect(dprof('report', profile, '--view', 'all')).toEqual({ ...fromTrace, stdout: withoutNext(stdout) });
  expect(fromTrace.stdout).toContain('program      ./pair of counters (exited with status 3)\n');
});

test('both engines give the same profile, byte for byte', () => {
  const native = join(folder, 'native.dprofile');
  expect(dprof('replay', trace, '-o', native)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(native).equals(readFileSync(profile))).toBe(true);
});

test('the classes of twenty stores in turn to two fields of one line', () => {
  const { stdout } = dprof('report', profile, '--view', 'miss-classification', '--format', 'json');
  const { totals, rows } = JSON.parse(stdout) as {
    totals: { references: number; levels: { l1: object } };
    rows: { field: string | null; levels: { l1: { classes: object } } }[];
  };
  expect(totals.references).toBe(20);
  expect(totals.levels.l1).toEqual({
    hits: 0,
    misses: 20,
    classes: { compulsory: 2, 'true-sharing': 0, 'false-sharing': 18, conflict: 0, capacity: 0 },
  });
  expect(rows.map((row) => row.field)).toEqual([null, 'left', 'right']);
});

test('--schedule and the machine flags reach the replay', () => {
  const { stdout } = dprof(
    'report',
    trace,
    '--format',
    'json',
    '--engine',
    'ts',
    '--schedule',
    'recorded',
    '--cores',
    '1',
    '--l1',
    '16K/4',
  );
  const { schedule, machine, totals } = JSON.parse(stdout) as {
    schedule: string;
    machine: { cores: number; l1: object };
    totals: { levels: { l1: object } };
  };
  expect([schedule, machine.cores, machine.l1]).toEqual([
    'recorded',
    1,
    { sizeBytes: 16384, ways: 4, latencyCycles: 4 },
  ]);
  expect(totals.levels.l1).toMatchObject({ hits: 19, misses: 1 });
});

test('the TypeScript engine with several workers: it says that it runs on one and gives the same report', () => {
  const one = dprof('report', trace, '--engine', 'ts');
  const four = dprof('report', trace, '--engine', 'ts', '--workers', '4');
  expect(four.stdout).toBe(one.stdout);
  expect(four.stderr).toBe('dprof: --workers 4: the TypeScript engine runs on one; its numbers are the same\n');
});

test('--type keeps what concerns the type', () => {
  const rows = (type: string[]): unknown[] =>
    (
      JSON.parse(dprof('report', profile, '--view', 'sharing', '--format', 'json', ...type).stdout) as {
        rows: unknown[];
      }
    ).rows;
  expect(rows(['--type', 'struct pair'])).toEqual(rows([]));
  expect(rows([])).toHaveLength(3);
});

test('--field, --function and --min-share choose rows, and text says so', () => {
  const rows = (...words: string[]): Record<string, unknown>[] =>
    (JSON.parse(dprof('report', profile, '--format', 'json', ...words).stdout) as { rows: Record<string, unknown>[] })
      .rows;
  expect(rows('--view', 'functions', '--field', 'left').map((row) => row.function)).toEqual(['count_left']);
  expect(rows('--view', 'miss-classification', '--function', 'count_right').map(({ field }) => field)).toEqual([
    null,
    'right',
  ]);
  expect(rows('--view', 'functions', '--min-share', '51')).toEqual([]);
  expect(dprof('report', profile, '--view', 'all', '--field', 'left').stdout).toContain(
    'filtered     only rows of field left; totals are those of the whole run\n',
  );
  expect(dprof('report', profile, '--view', 'functions', '--function', 'count_lift')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      "dprof: no function in this profile is named 'count_lift'\nhint: did you mean 'count_left', 'count_right'?\n",
  });
});

test('--by and --sort choose the rows and their order', () => {
  const rows = (...words: string[]): Record<string, unknown>[] =>
    (
      JSON.parse(dprof('report', profile, '--view', 'miss-classification', '--format', 'json', ...words).stdout) as {
        rows: Record<string, unknown>[];
      }
    ).rows;
  expect(
    rows('--by', 'core', '--sort', 'cycles').map(({ core, missLatencyCycles }) => [core, missLatencyCycles]),
  ).toEqual([
    [0, 2000],
    [1, 2000],
  ]);
  expect(rows('--by', 'object').map(({ object, references }) => [object, references])).toEqual([['0x4000', 20]]);
});

test("who takes whose line in a pair of counters: each the other one's, every time", () => {
  const { rows } = JSON.parse(dprof('report', profile, '--view', 'invalidations', '--format', 'json').stdout) as {
    rows: object[];
  };
  expect(rows).toMatchObject([
    {
      taker: 'struct pair',
      owner: 'struct pair',
      level: 'l1',
      count: 19,
      sets: { involved: 1, of: 64, perBin: 1, worst: [{ sets: '0', count: 19 }] },
    },
  ]);
});

test('CSV on standard output', () => {
  expect(dprof('report', profile, '--view', 'address-set', '--format', 'csv').stdout).toBe(
    'address,type,bytes,kind,variable,function,site,receiver,callPath,path,allocatedAt,freedAt,lives,thread,core,' +
      'references,' +
      'bounce,writeShared,misses.l1,misses.l2,misses.llc,missLatencyCycles,missesBeforeFirstUse,' +
      'missesAfterLastUse,freedOnOtherCore\n' +
      '0x4000,struct pair,16,global,shared,,drawn.c:1,,:drawn.c:1,,0,,1,0,0,20,true,true,20,20,1,4000,20,0,false\n',
  );
});

test('dump --references: replay order, one access per line', () => {
  expect(dprof('dump', trace, '--references').stdout.split('\n').slice(0, 5)).toEqual([
    '0 w 4000 8',
    '1 w 4008 8',
    '0 w 4000 8',
    '1 w 4008 8',
    '0 w 4000 8',
  ]);
  expect(dprof('dump', trace, '--references').stdout.split('\n')).toHaveLength(21);
});

test('dump: the trace as it is in the file', () => {
  expect(dprof('dump', trace).stdout.split('\n').slice(1, 8)).toEqual([
    'process {"command":["./pair","of counters"],"executable":"/tmp/pair","cpus":2,"randomised":false}',
    'module /tmp/pair',
    'catalog 3 types, 2 variables, 2 records, 2 slots',
    'thread 0: 1 chunks',
    '  release stamp 1 thread-create 1',
    '  segment #0 count_left: 4000  (store struct pair.left@11)',
    '  segment #0 count_left: 4000  (store struct pair.left@11)',
  ]);
});

test('a reader that goes away ends a dump quietly', async () => {
  const long = saveTrace(folder, 'long.dptrace', writePairTrace(200_000).finish());
  const child = spawn(DPROF, ['dump', long, '--references'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const status = await new Promise((done) => child.once('close', done));
  expect([status, complaint]).toEqual([0, '']);
});

test('doctor checks all that dprof needs, in text and JSON', () => {
  const { findings, healthy } = JSON.parse(dprof('doctor', '--format', 'json').stdout) as {
    findings: { check: string; ok: boolean; required: boolean }[];
    healthy: boolean;
  };
  expect(findings.map(({ check }) => check)).toEqual([
    'node',
    'clang',
    'linker',
    'plugin',
    'runtime',
    'recorder',
    'code reader',
    'allocations',
    'blocks',
    'collector',
    'sampler',
    'engine',
    'liblz4',
    '/dev/shm',
    'fixed addresses',
    'debug registers',
    'PMU',
    'samples of memory',
  ]);
  expect(findings.filter(({ ok, required }) => required && !ok)).toEqual([]);
  expect(healthy).toBe(true);
  const text = dprof('doctor');
  expect(text.status).toBe(0);
  expect(text.stdout).toContain('\ndprof can record and replay here.\n');
});

test('without the code reader dprof replays; doctor says that an option of recording fails, and it does', () => {
  const [built, other] = [dirname(NATIVE.code), join(folder, 'build')];
  mkdirSync(join(other, 'bin'), { recursive: true });
  symlinkSync(resolve(built, '../lib'), join(other, 'lib'));
  for (const name of readdirSync(built))
    if (join(built, name) !== NATIVE.code) symlinkSync(join(built, name), join(other, 'bin', name));
  const before = process.env.DPROF_BUILD;
  process.env.DPROF_BUILD = other;
  try {
    const { status, stdout } = dprof('doctor', '--format', 'json');
    const { findings } = JSON.parse(stdout) as { findings: { check: string; ok: boolean; required: boolean }[] };
    expect(findings.flatMap(({ check, ok, required }) => (required && !ok ? [check] : []))).toEqual(['code reader']);
    expect(status).toBe(1);
    expect(dprof('record', '--from', 'main', '-o', join(folder, 'none.dptrace'), '--', process.execPath)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `dprof: dprof-code is not built (${join(other, 'bin/dprof-code')})\n` +
        `hint: run 'npm run setup' in ${INSTALLATION}\n`,
    });
    expect(dprof('report', trace)).toMatchObject({ status: 0, stderr: '' });
  } finally {
    if (before === undefined) delete process.env.DPROF_BUILD;
    else process.env.DPROF_BUILD = before;
  }
});

test('help and version', () => {
  expect(dprof('--version')).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
  const help = dprof('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const command of ['record', 'replay', 'report', 'run', 'dump', 'doctor'])
    expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
});
