// Samples that perf takes of a debug register while dprof records the same run: each gets the type of what was at its
// address then, and its place.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DPROF, DPROF_CC, makeFolder, run } from '../../cli/command-line.js';
import { NO_PERF, perf } from '../perf.js';
import { REGISTERS_ARE_DENIED } from '../histories/history-programs.js';
import type { SamplesValidation } from '../../../src/hardware/validate/validate-samples.js';

const PROGRAMS = resolve(import.meta.dirname, 'programs');
const folder = makeFolder();
const [PROGRAM, TRACE, SAMPLES] = ['sampled', 'run.dptrace', 'run.dpsamples'].map((name) => join(folder, name));
const WHY_NOT = NO_PERF ?? (REGISTERS_ARE_DENIED ? 'the kernel gives no debug registers here' : undefined);

test.runIf(WHY_NOT !== undefined)(`${WHY_NOT}: the tests of this file are skipped`, ({ skip }) => skip());

function record(clock: readonly string[], samples: string, addresses: readonly string[], trace = TRACE): void {
  const data = join(folder, 'perf.data');
  perf([
    'record',
    '-q',
    ...clock,
    '-c',
    '1',
    ...addresses.flatMap((address) => ['-e', `mem:${address}/8:rw`]),
    '-d',
    '-o',
    data,
    '--',
    DPROF,
    'record',
    '-o',
    trace,
    '--',
    PROGRAM,
  ]);
  expect(run(DPROF, 'import', data, '-o', samples).status).toBe(0);
}

function validate(trace: string, samples: string, ...flags: string[]): readonly [status: number | null, said: string] {
  const { status, stderr } = run(DPROF, 'validate', trace, samples, ...flags);
  return [status, stderr.split('\n')[0]];
}

describe.skipIf(WHY_NOT !== undefined)('a run that was recorded and sampled', () => {
  let addresses: string[] = [];
  let found: SamplesValidation;

  beforeAll(() => {
    const plain = join(folder, 'foreign.o');
    execFileSync('clang-19', ['-g', '-O1', '-c', join(PROGRAMS, 'foreign.c'), '-o', plain]);
    execFileSync(DPROF_CC, ['-g', '-O1', '-Wl,--build-id', join(PROGRAMS, 'sampled.c'), plain, '-o', PROGRAM]);
    addresses = execFileSync(DPROF, ['record', '-o', TRACE, '--', PROGRAM], { encoding: 'utf8' }).trim().split(' ');
    record(['-k', 'CLOCK_MONOTONIC'], SAMPLES, addresses);
    const { status, stdout } = run(DPROF, 'validate', TRACE, SAMPLES, '--format', 'json');
    expect(status).toBe(1); // no verdict by share
    found = JSON.parse(stdout) as SamplesValidation;
  });

  test('all samples have the type of what was there then, and their function', () => {
    // The kernel clears variables before the program begins; its functions are not asked for.
    expect(found.typed.filter((row) => row.function !== '')).toEqual(
      [
        { type: 'struct table', field: 'slots[]', function: 'put', samples: 40 },
        { type: 'struct packet', field: 'bytes', function: 'send', samples: 30 },
        { type: 'struct packet', field: 'bytes', function: 'take', samples: 20 },
        // A load and a store that are one instruction are one sample.
        { type: 'struct packet', field: 'bytes', function: 'foreign', samples: 5 },
        { type: 'struct table', field: 'slots[]', function: 'publish', samples: 7 },
      ].sort((a, b) => b.samples - a.samples),
    );
    expect(found.foreign.filter(({ module }) => module === '').length).toBe(0);
    expect(found.verdict).toBe('not-comparable');
    expect(found.measures[0].reason).toBe('no event is a draw of references');
  });

  test('each at a line of the trace that accesses its type; code that was not instrumented is named', () => {
    expect(found.skid).toEqual({ judged: 97, line: 97, function: 0, named: 0, skid: 0, rows: [], namedRows: [] });
    expect(found.counts).toMatchObject({ instrumented: 97, typed: 97 });
    expect(found.foreign.find((row) => row.module === PROGRAM)).toEqual({
      reason: 'not-instrumented',
      module: PROGRAM,
      function: 'foreign',
      samples: 5,
    });
    expect(found.program).toEqual({
      identity: 'same-build',
      traced: found.program.traced,
      sampled: found.program.traced,
    });
    expect(found.program.traced.buildId).toMatch(/^[0-9a-f]{40}$/);
  });

  test("perf's own clock is refused, and what to do is said", () => {
    const own = join(folder, 'own.dpsamples');
    record([], own, addresses.slice(0, 1), join(folder, 'own.dptrace'));
    const { status, stderr } = run(DPROF, 'validate', join(folder, 'own.dptrace'), own);
    expect([status, stderr]).toEqual([
      1,
      `dprof: the times of ${own} are of perf's own clock, which can not be laid beside the time stamps of ` +
        `${join(folder, 'own.dptrace')}\nhint: record both at once, the samples with: perf record -k ` +
        `CLOCK_MONOTONIC\n`,
    ]);
  });

  test('another run of the program has no sample of this process', () => {
    const other = join(folder, 'other.dptrace');
    expect(spawnSync(DPROF, ['record', '-o', other, '--', PROGRAM]).status).toBe(0);
    expect(validate(other, SAMPLES)).toEqual([
      1,
      expect.stringMatching(/^dprof: .*run\.dpsamples has no sample of process \d+, which .*other\.dptrace is of$/),
    ]);
  });

  test('samples that are cut, or none', () => {
    const cut = join(folder, 'cut.dpsamples');
    copyFileSync(SAMPLES, cut);
    const bytes = readFileSync(cut);
    for (const length of [0, 7, 20, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(cut, bytes);
      truncateSync(cut, length);
      const { status, stderr } = run(DPROF, 'validate', TRACE, cut);
      expect([status === 1 || status === 2, stderr.split('\n').length]).toEqual([true, 3]);
      expect(stderr).toMatch(/^dprof: .*(holds no histories and no samples|samples trailer)/);
    }
  });

  test('a truncated trace is said to be one', () => {
    const cut = join(folder, 'cut.dptrace');
    copyFileSync(TRACE, cut);
    truncateSync(cut, readFileSync(TRACE).length - 100);
    const { status, stdout, stderr } = run(DPROF, 'validate', cut, SAMPLES, '--format', 'json');
    expect([status, stderr]).toEqual([1, '']);
    expect((JSON.parse(stdout) as SamplesValidation).truncated).toBe(true);
  });
});
