// Stage: test. The helper headers for benchmarks: counts per iteration, warm-up left out, are those that the source
// says. Each iteration reads a word of 4 lines, which stay in the L1, or of 1,024, which are twice what it holds.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { Project, ROOT } from './project.js';

const PROGRAMS = join(ROOT, 'test/check/programs');
const FLAGS = [
  '-O1',
  '-g',
  '-std=c++17',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-pthread',
  '-I',
  join(ROOT, 'runtime/include'),
];
const limitsOf = (row: string): string[] => [
  `${row}: l1-misses per iteration >= 0, loads per iteration >= 0`,
  'l1-misses per iteration >= 0',
  'l1-misses >= 0',
];

interface Run {
  readonly words: string;
  readonly lines: number;
}

/** Compiled by dprof-c++. */
function checkRuns(source: string, libraries: readonly string[], runs: readonly Run[]): void {
  const compiler = join(ROOT, 'bin/dprof-c++');
  checkBuilt('type row', runs, (program) => {
    execFileSync(compiler, [...FLAGS, join(PROGRAMS, source), ...libraries, '-o', program]);
  });
}

/** Each of the runs checked: what is counted is in one hundred iterations. */
function checkBuilt(row: string, runs: readonly Run[], build: (program: string) => void): void {
  const project = new Project();
  build(project.path('benchmarks'));
  const programs = runs.flatMap(({ words }, at) => [
    `  run-${at}:`,
    `    run: ./benchmarks ${words}`,
    '    from: mark:benchmark',
    '    to: mark:benchmark end',
    '    limits:',
    ...limitsOf(row).map((one) => `      - ${one}`),
  ]);
  const result = project.result(['programs:', ...programs, ''].join('\n'));
  for (const [at, { lines }] of runs.entries()) {
    const [ofRow, loads, all, total] = result.programs[at].statements.map(({ value }) => value[0]);
    const misses = lines > 512 ? lines : 0;
    expect([ofRow, loads]).toEqual([misses, lines]);
    // The library's own lines are a few, and go where the rows do not fit.
    expect(all).toBeGreaterThanOrEqual(misses);
    expect(all).toBeLessThanOrEqual(misses === 0 ? 0 : misses + 8);
    expect(total).toBeCloseTo(100 * all, 3);
  }
}

function compilesPlainly(source: string, ...libraries: readonly string[]): void {
  const project = new Project();
  const program = project.path('plain');
  execFileSync('clang++-19', [...FLAGS, join(PROGRAMS, source), ...libraries, '-o', program]);
  expect(execFileSync('nm', [program], { encoding: 'utf8' })).not.toContain('dprof_');
}

describe('a loop of its own', () => {
  test('by dprof-c++', () => {
    checkRuns(
      'loop-benchmark.cc',
      [],
      [
        { words: '4', lines: 4 },
        { words: '1024', lines: 1024 },
      ],
    );
  });

  test('by another compiler', () => compilesPlainly('loop-benchmark.cc'));
});

// Where Debian's package is not installed there is nothing to test.
describe.runIf(existsSync('/usr/include/benchmark/benchmark.h'))('Google Benchmark', () => {
  test('by dprof-c++', () => {
    const only = (lines: number): string => `--benchmark_min_time=0.001 --benchmark_filter=^sum/${lines}$`;
    checkRuns(
      'google-benchmark.cc',
      ['-lbenchmark'],
      [
        { words: only(4), lines: 4 },
        { words: only(1024), lines: 1024 },
        { words: `${only(1024)} --benchmark_repetitions=3`, lines: 1024 },
      ],
    );
  });

  test('by another compiler', () => compilesPlainly('google-benchmark.cc', '-lbenchmark'));
});

const RUSTC = '/usr/bin/rustc'; // Debian's, whose bitcode LLVM 19 reads
const RUST_LIBRARIES = '/usr/lib/x86_64-linux-gnu';
const STANDARD = existsSync(RUSTC)
  ? readdirSync(RUST_LIBRARIES).find((name) => /^libstd-\w+\.so$/.test(name))
  : undefined;

describe.runIf(STANDARD)('Criterion', () => {
  test('by rustc and dprof-cc', () => {
    const bitcode = new Project().path('benchmarks.bc');
    const options = ['--edition=2021', '-g', '--cfg=dprof', '-Copt-level=1', '-Cprefer-dynamic', '-Ccodegen-units=1'];
    execFileSync(RUSTC, [
      ...options,
      '-Dwarnings',
      '--emit=llvm-bc',
      join(PROGRAMS, 'criterion-benchmark.rs'),
      '-o',
      bitcode,
    ]);
    checkBuilt(
      'struct Row',
      [
        { words: 'sum/4', lines: 4 },
        { words: '--bench --sample-size 50 --exact sum/1024', lines: 1024 },
        { words: 'batched', lines: 1024 },
      ],
      (program) => {
        const library = join(RUST_LIBRARIES, STANDARD!);
        execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-Wno-override-module', bitcode, library, '-o', program]);
      },
    );
  });
});

describe.runIf(existsSync('/usr/include/catch2/catch.hpp'))('Catch2', () => {
  test('by dprof-c++', () => {
    const main = new Project({
      'main.cc': '#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_ENABLE_BENCHMARKING\n#include <catch2/catch.hpp>\n',
    });
    execFileSync('clang++-19', ['-std=c++17', '-c', main.path('main.cc'), '-o', main.path('main.o')]);
    const quick = '--benchmark-no-analysis --benchmark-samples 2 --benchmark-warmup-time 1';
    checkRuns(
      'catch2-benchmark.cc',
      [main.path('main.o')],
      atLength(['1024'], ['4', '1024', 'meter', 'nothing']).map((name) => ({
        words: `${name} ${quick}`,
        lines: name === '4' ? 4 : 1024,
      })),
    );
  });

  test('by another compiler', () => {
    execFileSync('clang++-19', [...FLAGS, '-fsyntax-only', join(PROGRAMS, 'catch2-benchmark.cc')]);
  });
});
