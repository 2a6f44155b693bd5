// Stage: test of the plugin. Instrumented programs do what the plain ones do, recorded and dormant.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, DPROF_CXX, isCxx, record, run, WORK } from './recorded-program.js';
import { atLength } from '../at-length.js';
import { CLANG, CLANGXX } from './clang.js';

describe.each(atLength(['-O0', '-O2'], ['-O0', '-O1', '-O2', '-O3', '-Os']))('at %s', (level) => {
  const programs = ['odd.c', 'exceptions.cc', 'coroutine.cc'];
  test.each(atLength(level === '-O0' ? ['odd.c'] : programs, programs))('%s prints and returns the same', (source) => {
    const flags = isCxx(source) ? [level, '-std=c++20'] : [level];
    const plain = run(compile(source, flags, isCxx(source) ? CLANGXX : CLANG));
    const instrumented = compile(source, flags);
    const recorded = record(instrumented);
    expect(plain.stdout).not.toBe('');
    expect(run(instrumented)).toEqual(plain);
    expect({ stdout: recorded.stdout, status: recorded.status }).toEqual(plain);
    expect(record(instrumented, { DPROF_DOUBLE_TIGHT: '1' })).toEqual(recorded);
  });
});

test('a dormant program makes no records', () => {
  const program = compile('fields.c', ['-O2']);
  const environment = { DPROF_DOUBLE_DORMANT: '1' }; // the double aborts when room for a record is asked for
  expect(run(program, environment).status).toBe(0);
  expect(run(compile('odd.c', ['-O2']), environment).status).toBe(null); // a computed goto: always instrumented
});

test.each([
  ['lld', ['-fuse-ld=lld', '-Wl,--gc-sections', '-ffunction-sections', '-fdata-sections']],
  ['bfd', ['-Wl,--gc-sections', '-ffunction-sections', '-fdata-sections']],
  ['link-time optimisation by another linker', ['-fuse-ld=gold', '-flto']],
])('globals and events survive %s', (_, flags) => {
  const usual = record(compile('globals.c', ['-O1']));
  const { lines, status } = record(compile('globals.c', ['-O1', ...flags]));
  expect(status).toBe(usual.status);
  expect(lines.filter((text) => text.startsWith('segment'))).toEqual(
    usual.lines.filter((text) => text.startsWith('segment')),
  );
  expect(lines.filter((text) => text.startsWith('global counter'))).toEqual(['global counter: int, 4 bytes']);
});

test('the copies of an inline function and variable in several objects are one', () => {
  const header = 'inline int shared_by_all = 4; inline int next() { static int calls; return calls += shared_by_all; }';
  const objects = ['a', 'b'].map((name) => {
    const object = join(WORK, `${name}.o`);
    const main =
      name === 'a' ? 'int other(); int main() { return next() + other(); }' : 'int other() { return next(); }';
    execFileSync(DPROF_CXX, ['-O0', '-xc++', '-c', '-', '-o', object], { input: `${header}\n${main}` });
    return object;
  });
  const program = join(WORK, 'linked');
  execFileSync(DPROF_CXX, [...objects, '-o', program]);
  const { lines, status } = record(program);
  expect(status).toBe(12);
  expect(lines.filter((text) => text.startsWith('global')).toSorted()).toEqual([
    'global calls: int, 4 bytes',
    'global shared_by_all: int, 4 bytes',
  ]);
});
