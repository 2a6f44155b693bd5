// Stage: test of dprof-cc. It is clang wherever it neither compiles C-family code nor links, and adds little where it
// does.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, record, WORK } from './recorded-program.js';
import { CLANG, LLVM } from './clang.js';

const FOLDER = join(WORK, 'wrapper');

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function call(command: string, args: readonly string[], input = ''): Result {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A compiler that only prints its arguments, one a line. */
function argumentsOf(wrapper: string, args: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(wrapper, args, {
    cwd: FOLDER,
    encoding: 'utf8',
    env: { ...process.env, DPROF_CLANG: join(FOLDER, 'printer'), DPROF_BUILD: '/dprof' },
  });
  return status === 0 ? stdout.split('\n').slice(0, -1) : [`status ${status}`, stderr.trim()];
}

// The compiler says no version, and that folder has no plugin: it is the oldest one.
const PLUGIN = ['-fpass-plugin=/dprof/lib/libdprof_pass-16.so', '-Xclang', '-D__DPROF__=1'];
const LINK = [
  '-Wl,--push-state,--no-as-needed',
  '/dprof/lib/link/libdprof_runtime.so',
  '-Wl,--pop-state',
  '-Wl,-rpath,/dprof/lib',
];
const LTO = '-Wl,--load-pass-plugin=/dprof/lib/libdprof_pass-16.so';
const STATIC = [
  '-Wl,--push-state,--whole-archive',
  '/dprof/lib/libdprof_static.a',
  '-Wl,--pop-state',
  '-Wl,@/dprof/lib/wrap.rsp',
];
const STATIC_CXX = [
  ...STATIC.slice(0, 2),
  '/dprof/lib/libdprof_static_new.a',
  '-Wl,@/dprof/lib/wrap_new.rsp',
  ...STATIC.slice(2),
];
const ALONE = ['-Wl,--push-state,--whole-archive', '/dprof/lib/libdprof_nothing.a', '-Wl,--pop-state'];

beforeAll(() => {
  mkdirSync(FOLDER);
  writeFileSync(join(FOLDER, 'printer'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  writeFileSync(
    join(FOLDER, 'main.c'),
    '#include <stdio.h>\nint half(int);\nint x;\nint main(void) { x = half(84); puts("hello"); return x; }\n',
  );
  writeFileSync(join(FOLDER, 'half.c'), 'int half(int n) { return n / 2; }\n');
  writeFileSync(join(FOLDER, 'compile.rsp'), '-c "main.c"\n-o main.o');
  writeFileSync(join(FOLDER, 'memory.rsp'), "-c main.c '-fsanitize=memory'");
  writeFileSync(join(FOLDER, 'more.rsp'), '-fdprof-stats\t"a b.c"');
  writeFileSync(join(FOLDER, 'stats.rsp'), '-c @more.rsp -DQ=\\"x\\"');
});

describe('what is passed through untouched', () => {
  test.each([
    [['--version']],
    [['-print-search-dirs']],
    [['-print-prog-name=ld']],
    [['-dumpmachine']],
    [['-dumpversion']],
    [['-v']],
    [[]],
    [['-E', 'main.c']],
    [['-M', 'main.c']],
    [['-MM', 'main.c']],
    [['-###', '-c', 'main.c']],
    [['-E', '-dM', '-xc', '-']],
    [['-fsyntax-only', 'main.c']],
    [['-c', 'start.s']],
    [['-c', 'start.S']],
    [['-c', '-x', 'assembler', 'start']],
    [['-x', 'c-header', 'main.h']],
    [['all.hpp']],
    [['-c', 'main.o']],
    [['-r', 'main.o', '-o', 'both.o']],
  ])('%s', (args) => {
    expect(argumentsOf(DPROF_CC, args)).toEqual(args.length ? args : ['']);
  });
});

describe('what is added', () => {
  test.each([
    [
      ['-c', 'main.c'],
      [...PLUGIN, '-g', '-c', 'main.c'],
    ],
    [
      ['-g1', '-S', 'main.c'],
      [...PLUGIN, '-g1', '-S', 'main.c'],
    ],
    [
      ['-gsplit-dwarf', '-c', 'main.c'],
      [...PLUGIN, '-g', '-gsplit-dwarf', '-c', 'main.c'],
    ],
    [
      ['main.c', '-lm'],
      [...PLUGIN, '-g', ...LINK, 'main.c', '-lm'],
    ],
    [
      ['-shared', 'a.o', '-o', 'a.so'],
      [...LINK, '-shared', 'a.o', '-o', 'a.so'],
    ],
    [
      ['-O2', '-x', 'c++', '-', '-o', 'a.c'],
      [...PLUGIN, '-g', ...LINK, '-O2', '-x', 'c++', '-', '-o', 'a.c'],
    ],
    [
      ['-o', 'x.c', 'a.o'],
      [...LINK, '-o', 'x.c', 'a.o'],
    ],
    [
      ['-I', '-E', '-c', 'main.c'],
      [...PLUGIN, '-g', '-I', '-E', '-c', 'main.c'],
    ],
    [['@compile.rsp'], [...PLUGIN, '-g', '@compile.rsp']],
    [
      ['-c', 'main.c', '-fdprof-stats', '-DA=a b'],
      [...PLUGIN, '-g', '-c', 'main.c', '-DA=a b'],
    ],
    [
      ['@stats.rsp', '-DB'],
      [...PLUGIN, '-g', '-c', 'a b.c', '-DQ="x"', '-DB'],
    ],
    [
      ['-c', '-fsanitize=undefined', 'main.c'],
      [...PLUGIN, '-g', '-c', '-fsanitize=undefined', 'main.c'],
    ],
    [
      ['-c', '-fsanitize=address,undefined', '-fno-sanitize=all', 'main.c'],
      [...PLUGIN, '-g', '-c', '-fsanitize=address,undefined', '-fno-sanitize=all', 'main.c'],
    ],
    [
      ['-c', '--', 'main.c'],
      [...PLUGIN, '-g', '-c', '--', 'main.c'],
    ],
    [
      ['-x', 'assembler', 'a', '-x', 'c', 'b', '-x', 'none', 'c.o'],
      [...PLUGIN, '-g', ...LINK, '-x', 'assembler', 'a', '-x', 'c', 'b', '-x', 'none', 'c.o'],
    ],
    [
      ['-static', 'main.o'],
      [...STATIC, '-static', 'main.o'],
    ],
    [
      ['-static-pie', 'main.o', '-lstdc++'],
      [...STATIC_CXX, '-static-pie', 'main.o', '-lstdc++'],
    ],
    [
      ['-static', '-shared', 'main.o'],
      [...LINK, '-static', '-shared', 'main.o'],
    ],
    [
      ['-flto', '-c', 'main.c'],
      [...PLUGIN, '-g', '-flto', '-c', 'main.c'],
    ],
    [
      ['-flto', 'main.o'],
      [...LINK, '-fuse-ld=lld', LTO, '-flto', 'main.o'],
    ],
    [
      ['-flto=thin', '-O0', 'main.o'],
      [...LINK, '-fuse-ld=lld', LTO, '-Wl,--lto-O1', '-flto=thin', '-O0', 'main.o'],
    ],
    [
      ['-fuse-ld=lld', 'main.o'],
      [...LINK, LTO, '-fuse-ld=lld', 'main.o'],
    ],
    [
      ['-flto', '-fuse-ld=gold', 'main.o'],
      [...LINK, '-flto', '-fuse-ld=gold', 'main.o'],
    ],
    [
      ['-nostdlib', 'main.o'],
      [...ALONE, '-nostdlib', 'main.o'],
    ],
    [
      ['-nostdlib', '-shared', 'main.o', '-lc'],
      [...LINK, '-nostdlib', '-shared', 'main.o', '-lc'],
    ],
    [
      ['-ffreestanding', '-c', 'main.c'],
      ['-ffreestanding', '-c', 'main.c'],
    ],
  ])('%s', (args, expected) => {
    expect(argumentsOf(DPROF_CC, args)).toEqual(expected);
  });

  test('-v says once that -g was added', () => {
    const { stderr } = call(DPROF_CC, ['-v', '-c', 'main.c', 'half.c']);
    expect(stderr.match(/adding -g/g)).toHaveLength(1);
    expect(call(DPROF_CC, ['-c', 'main.c', 'half.c']).stderr).toBe('');
  });
});

describe('what is refused', () => {
  test.each([
    [
      ['-fsanitize=thread', '-c', 'main.c'],
      'dprof-cc: -fsanitize=thread can not be combined with dprof: its runtime has malloc, threads and locks of its ' +
        'own, so neither objects nor the order of threads would be seen',
    ],
    ...['address', 'leak', 'undefined,address'].map(
      (names) =>
        [
          [`-fsanitize=${names}`, '-c', 'main.c'],
          `dprof-cc: -fsanitize=${names.split(',').at(-1)} can not be combined with dprof: ` +
            'its runtime has a malloc of its own, so no object would be seen',
        ] as [string[], string],
    ),
    [
      ['@memory.rsp'],
      'dprof-cc: -fsanitize=memory can not be combined with dprof: its runtime has a malloc of its own, and needs ' +
        'addresses to be random',
    ],
    [
      ['-fdprof-none', '-c', 'main.c'],
      'dprof-cc: unknown option -fdprof-none; there are -fdprof-stats, -fdprof-allocators=FILE|NAME, ' +
        '-fdprof-locks=FILE|NAME, -fdprof-only=GLOB, -fdprof-skip=GLOB, -fdprof-list=FILE, -fdprof-values, ' +
        '-fdprof-args, -fdprof-locals, -fdprof-blocks, -fdprof-libc=musl',
    ],
    [['--allocators'], 'dprof-cc: --allocators needs a FILE|NAME'],
  ])('%s', (args, message) => {
    expect(argumentsOf(DPROF_CC, args)).toEqual(['status 1', message]);
  });
});

describe('the real compiler', () => {
  test.each([
    [['-E', 'main.c']],
    [['-MM', 'main.c', 'half.c']],
    [['--version']],
    [['-print-resource-dir']],
    [['-dM', '-E', '-xc', '-']],
    [['nothing.c', '-c']],
  ])('prints and returns what clang does: %s', (args) => {
    expect(call(DPROF_CC, args)).toEqual(call(CLANG, args));
  });

  test('compiles several files at once, or to objects and then links', () => {
    expect(call(DPROF_CC, ['main.c', 'half.c', '-o', 'together'])).toMatchObject({ status: 0, stderr: '' });
    expect(call(DPROF_CC, ['-O2', '-Werror', '-Wall', '-c', 'main.c', 'half.c'])).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(call(DPROF_CC, ['-Werror', 'main.o', 'half.o', '-o', 'apart'])).toMatchObject({ status: 0, stderr: '' });
    for (const program of ['together', 'apart']) {
      const { status, stdout, lines } = record(join(FOLDER, program));
      expect({ status, stdout, global: lines[0] }).toEqual({
        status: 42,
        stdout: 'hello\n',
        global: 'global x: int, 4 bytes',
      });
    }
  });

  test('a shared library brings its own events', () => {
    expect(call(DPROF_CC, ['-shared', '-fPIC', 'half.c', '-O0', '-o', 'libhalf.so'])).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(call(DPROF_CC, ['main.c', '-L.', '-lhalf', `-Wl,-rpath,${FOLDER}`, '-o', 'linked'])).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(record(join(FOLDER, 'linked')).lines).toContain('segment half n=5 entry exit');
  });

  test('is found from wherever the wrapper is linked', () => {
    symlinkSync(DPROF_CXX, join(FOLDER, 'linked-c++'));
    writeFileSync(join(FOLDER, 'cast.cpp'), 'int main() { return static_cast<int>(0.5); }\n');
    expect(call('./linked-c++', ['cast.cpp', '-o', 'cast'])).toMatchObject({ status: 0, stderr: '' });
  });

  test('-fdprof-stats counts what was instrumented and what was not, with the reason', () => {
    writeFileSync(
      join(FOLDER, 'skipped.c'),
      '__attribute__((naked)) void f(void) { __asm__("ret"); }\nint g(int *p) { return *p; }\n' +
        'const char *h(void) { return "literal"; }\n',
    );
    const { stderr } = call(DPROF_CC, ['-O1', '-c', 'skipped.c', '-fdprof-stats']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'dprof: skipped.c: 1 functions, 1 segments, 1 accesses, 0 allocation sites, 0 markers, 0 stack objects, ' +
        '0 globals',
      'dprof: skipped.c: 1 regions, 1 paths, 0 loops recorded once, 1 words logged of 1',
      'dprof: skipped.c: described: scalar: 1 of 1',
      'dprof: skipped.c: skipped: naked function: 1',
      'dprof: skipped.c: skipped: global without a name in the source: 1',
    ]);
  });

  test('leaves other targets alone', () => {
    writeFileSync(join(FOLDER, 'other.c'), 'int g(int *p) { return *p; }\n');
    call(DPROF_CC, ['--target=armv7-linux-gnueabi', '-O1', '-S', '-g', 'other.c', '-o', 'other.s']);
    expect(readFileSync(join(FOLDER, 'other.s'), 'utf8')).not.toContain('__dprof');
  });

  test.runIf(LLVM === 16)('refuses typed pointers, which clang 16 still has', () => {
    const { status, stderr } = call(DPROF_CC, ['-Xclang', '-no-opaque-pointers', '-O1', '-c', 'main.c']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: dprof: can not instrument with -no-opaque-pointers; leave it out\n1 error generated.\n',
    });
  });
});
