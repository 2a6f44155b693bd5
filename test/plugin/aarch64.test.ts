// Stage: test of the plugin and of dprof-cc for aarch64: objects alone, which clang makes without that processor's
// libraries. The proof in test/aarch64 runs programs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SlotKind } from '../../src/trace/layout.js';
import { readUnits } from '../../src/trace/unit-reader.js';
import { rowsOf } from '../trace/unit-rows.js';
import { DPROF_CC, PROGRAMS, ROOT, WORK } from './recorded-program.js';
import { LLVM } from './clang.js';

const ARM = '--target=aarch64-linux-gnu';
const FOLDER = join(WORK, 'aarch64');
mkdirSync(FOLDER, { recursive: true });

function unitOf(source: string, flags: readonly string[]): ReturnType<typeof rowsOf> {
  const object = join(FOLDER, `${source}${flags.join('')}.o`);
  const section = `${object}.units`;
  execFileSync(DPROF_CC, [...flags, '-c', join(PROGRAMS, source), '-o', object], {
    env: { ...process.env, DPROF_VERIFY: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  execFileSync(`llvm-objcopy-${LLVM}`, [`--dump-section=dprof_units=${section}`, object, '/dev/null']);
  const [unit] = readUnits(readFileSync(section));
  return rowsOf(unit);
}

const name = (kind: number): string => Object.entries(SlotKind).find(([, code]) => code === kind)![0];
const slotsOf = (source: string, flags: readonly string[]): string[] =>
  unitOf(source, flags).slots.map(({ kind, sizeBytes }) => `${name(kind)} ${sizeBytes}`);

test.each(['-O0', '-O2'])('%s: the same accesses as on x86-64, and a va_list of that processor', (level) => {
  const [arm, x86] = [ARM, '--target=x86_64-linux-gnu'].map((target) => slotsOf('processors.c', [target, level]));
  expect(arm.filter((slot) => slot.endsWith(' 32'))).not.toEqual([]);
  expect(arm.map((slot) => slot.replace(/ 32$/, ' 24'))).toEqual(x86);
  // -moutline-atomics, clang's default there, comes behind the plugin: what calls a function in the end is an atomic.
  expect(slotsOf('processors.c', [ARM, level, '-moutline-atomics'])).toEqual(arm);
  expect(slotsOf('processors.c', [ARM, level, '-march=armv8.1-a'])).toEqual(arm);
  expect(arm.some((slot) => slot.startsWith('atomic'))).toBe(true);
});

test('loads and stores of several vectors; an exclusive access is counted as left out', () => {
  const { slots, refusals } = unitOf('neon.ll', [ARM, '-O1']);
  expect(slots.map(({ kind, sizeBytes }) => `${name(kind)} ${sizeBytes}`)).toEqual(['load 32', 'load 4', 'store 48']);
  expect(refusals.map(({ reason, count }) => [reason, count])).toEqual([['target intrinsic', 1]]);
});

function refusal(words: readonly string[], environment: Record<string, string> = {}): [number | null, string] {
  const { status, stderr } = spawnSync(DPROF_CC, words, { encoding: 'utf8', env: { ...process.env, ...environment } });
  return [status, stderr];
}

test('a link for a processor that there is no runtime for is refused, a compile for it is clang’s own', () => {
  const source = join(PROGRAMS, 'processors.c');
  const build = join(FOLDER, 'build');
  mkdirSync(join(build, 'lib'), { recursive: true });
  const plugin = `lib/libdprof_pass-${LLVM}.so`;
  symlinkSync(resolve(process.env.DPROF_BUILD ?? join(ROOT, 'build'), plugin), join(build, plugin));
  expect(refusal([ARM, source], { DPROF_BUILD: build })).toEqual([
    1,
    `dprof-cc: no runtime for aarch64-linux-gnu is built in ${build}\nhint: run scripts/aarch64.sh\n`,
  ]);
  for (const words of [['--target=riscv64-linux-gnu'], ['-target', 'riscv64-linux-gnu']])
    expect(refusal([...words, source])).toEqual([
      1,
      'dprof-cc: programs for riscv64-linux-gnu can not be recorded\nhint: there are runtimes for x86-64 and aarch64\n',
    ]);
  expect(refusal(['--target=riscv64-linux-gnu', '-c', source, '-o', join(FOLDER, 'riscv.o')])).toEqual([0, '']);
});

test('-fdprof-blocks is for x86-64', () => {
  expect(refusal([ARM, '-fdprof-blocks', '-c', join(PROGRAMS, 'processors.c'), '-o', '/dev/null'])).toEqual([
    1,
    'dprof-cc: -fdprof-blocks is for x86-64 alone, whose machine code dprof reads\nhint: leave it out\n',
  ]);
});
