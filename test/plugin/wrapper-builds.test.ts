// Stage: test of dprof-cc in builds. Every way of calling a compiler ends as it does with clang: the same files, words
// and status.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, ROOT, WORK } from './recorded-program.js';
import { CLANG, LLVM } from './clang.js';

const BUILD = process.env.DPROF_BUILD ?? join(ROOT, 'build');

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function call(
  folder: string,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  input = '',
): Result {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: { ...process.env, ...environment },
  });
  return { status, stdout, stderr };
}

const isInstalled = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

const SOURCES: Readonly<Record<string, string>> = {
  'main.c': '#include "half.h"\n#include <stdio.h>\nint main(void) { printf("%d\\n", HALF(half(84))); return 0; }\n',
  'half.c': '#include "half.h"\nint half(int n) { return n / 2; }\n',
  'half.h': '#pragma once\n#define HALF(x) ((x) / 2)\nint half(int n);\n',
  'all.hpp': '#include <string>\ninline std::string name() { return "name"; }\n',
  'use.cpp': 'int main() { return (int)name().size() - 4; }\n',
  'with space.c': 'int spaced = 1;\n',
  'call.S':
    '#define NAME half\n.globl NAME\nNAME:\n  mov %edi, %eax\n  sar %eax\n  ret\n.section ' +
    '.note.GNU-stack,"",@progbits\n',
  'plain.s': '.globl half\nhalf:\n  mov %edi, %eax\n  sar %eax\n  ret\n.section .note.GNU-stack,"",@progbits\n',
  'args.rsp': `-c "with space.c" -o 'with space.o' -DTEXT=\\"a\\ b\\"\n@more.rsp`,
  'more.rsp': '-Wall\n\n-Werror',
  'start.c':
    'void _start(void) { __asm__ volatile("mov $60, %eax; mov $9, %edi; syscall"); }\nint shared_by_all; int ' +
    'touch(int *p) { return shared_by_all += *p; }\n',
  text: 'int half(int n) { return n / 2; }\n',
  'wrong.c': 'int main(void) { return undeclared; }\n',
};

function folderOf(name: string): string {
  const folder = join(WORK, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(SOURCES)) writeFileSync(join(folder, file), text);
  return folder;
}

/** Commands of one build, one after the other; "./" runs what was built. */
const BUILDS: Readonly<Record<string, readonly string[]>> = {
  'objects with their dependencies, then a link': ['-O2 -MMD -c main.c half.c', 'main.o half.o -o main', './main'],
  'several sources in one command': ['-Wall -Werror -O1 main.c half.c -o main', './main'],
  'assembler that is preprocessed': ['-c call.S -o call.o', 'main.c call.o -o main', './main'],
  'assembler that is not': ['-Werror main.c plain.s -o main', './main'],
  'a language for each input': [
    '-O1 -x assembler plain.s -x c text -x none -c -o both.o',
    '-x c text -c -o text.o',
    'main.c -x none text.o -o main',
    './main',
  ],
  'intermediate files': ['-O2 -save-temps -c half.c -o half.o', 'main.c half.o -o main', './main'],
  'assembly on the way': ['-O2 -S half.c -o half.s', '-c half.s -o half.o', 'main.c half.o -o main', './main'],
  'bitcode on the way': ['-O2 -emit-llvm -c half.c -o half.bc', '-O2 main.c half.bc -o main', './main'],
  'objects linked into one': ['-c main.c half.c', '-r main.o half.o -o both.o', 'both.o -o main', './main'],
  'response files': ['@args.rsp', '-fsyntax-only @more.rsp half.c'],
  'words only': [
    '-E half.c',
    '-MM main.c',
    '--version',
    '-print-search-dirs',
    '-dumpmachine',
    '-print-file-name=libc.so',
    '-fsyntax-only -Wall half.c',
  ],
  mistakes: ['wrong.c', '-c nothing.c', '-c', '-fno-such-flag -c half.c', '-Wl,--no-such-flag main.c half.c'],
  'every warning': [
    '-Weverything -Wno-declaration-after-statement -Wno-pre-c11-compat -c half.c',
    '-Weverything -Werror -c half.c -Wno-missing-variable-declarations',
  ],
  'no C library': [
    '-O2 -nostdlib -static start.c -o start',
    './start',
    '-nostdlib -nostartfiles start.c -o late',
    './late',
  ],
  'no C library to compile for': [
    '-O2 -ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone -c start.c',
    '-ffreestanding -nostdlib -static start.o -o start',
    './start',
  ],
};

/**
 * The same commands by clang and by dprof-cc, each in a folder of its own; `normal` takes out what names the command
 * itself.
 */
function bothWays(name: string, commands: readonly string[]): { plain: readonly object[]; wrapped: readonly object[] } {
  const [plain, wrapped] = ([CLANG, DPROF_CC] as const).map((compiler) => {
    const folder = folderOf(`${name.replaceAll(' ', '-')}-${compiler === DPROF_CC ? 'wrapped' : 'plain'}`);
    return commands.map((command) => {
      const { status, stdout, stderr } = command.startsWith('./')
        ? call(folder, command, [])
        : call(folder, compiler, command.split(' '));
      return { command, status, stdout, stderr: stderr.replaceAll(/\/tmp\/\w+-\w+\.o|[\w./]*crt1\.o/g, 'FILE') };
    });
  });
  return { plain: plain!, wrapped: wrapped! };
}

describe('the same files, words and status as with clang', () => {
  test.each(Object.entries(BUILDS))('%s', (name, commands) => {
    const { plain, wrapped } = bothWays(name, commands);
    expect(wrapped).toEqual(plain);
    const files = (way: string): string[] => readdirSync(join(WORK, `${name.replaceAll(' ', '-')}-${way}`)).toSorted();
    expect(files('wrapped')).toEqual(files('plain'));
  });

  test('a source on standard input', () => {
    const folder = folderOf('stdin');
    expect(call(folder, DPROF_CC, ['-O1', '-x', 'c', '-', 'main.c', '-o', 'main'], {}, SOURCES.text)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(call(folder, './main', [])).toEqual({ status: 0, stdout: '21\n', stderr: '' });
  });

  test.each([
    [
      '-include-pch',
      ['-x', 'c++-header', 'all.hpp', '-o', 'all.pch'],
      ['-include-pch', 'all.pch', 'use.cpp', '-o', 'use'],
    ],
    ['-include', ['all.hpp', '-o', 'all.hpp.gch'], ['-include', 'all.hpp', 'use.cpp', '-o', 'use']],
    ['with -g', ['-g', 'all.hpp', '-o', 'all.hpp.gch'], ['-g', '-include', 'all.hpp', 'use.cpp', '-o', 'use']],
  ])('a precompiled header, %s', (name, make, use) => {
    const folder = folderOf(`pch${name}`);
    for (const args of [make, use])
      expect({ args, ...call(folder, DPROF_CXX, args) }).toEqual({ args, status: 0, stdout: '', stderr: '' });
    expect(call(folder, './use', []).status).toBe(0);
  });
});

describe('a cache in front', () => {
  /**
   * A build folder of its own, as another plugin would have it: the wrapper's program differs in the hash that it
   * holds.
   */
  function copyOfBuild(folder: string, change: (program: Buffer) => Buffer): string {
    const build = join(folder, 'build');
    mkdirSync(join(build, 'bin'), { recursive: true });
    if (!existsSync(join(build, 'lib'))) symlinkSync(join(BUILD, 'lib'), join(build, 'lib'));
    writeFileSync(join(build, 'bin/dprof-cc'), change(readFileSync(join(BUILD, 'bin/dprof-cc'))), { mode: 0o755 });
    return join(build, 'bin/dprof-cc');
  }
  const missesAfter = (folder: string, environment: Record<string, string>): number =>
    Number(/cache_miss\t(\d+)/.exec(call(folder, 'ccache', ['--print-stats'], environment).stdout)![1]);

  test.skipIf(LLVM !== 19)('the hash of the plugin and the runtime is part of the wrapper', () => {
    const hashOf = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
    const parts = [`libdprof_pass-${LLVM}.so`, 'libdprof_runtime.so'].map((name) =>
      hashOf(readFileSync(join(BUILD, 'lib', name))),
    );
    expect(readFileSync(join(BUILD, 'bin/dprof-cc')).includes(`dprof plugin ${hashOf(parts.join(''))}`)).toBe(true);
  });

  test.skipIf(!isInstalled('ccache')).each([['content'], ['mtime']])(
    'ccache that knows a compiler by its %s sees another one when the plugin changed',
    (check) => {
      const folder = folderOf(`ccache-${check}`);
      const environment = { CCACHE_DIR: join(folder, 'cache'), CCACHE_COMPILERCHECK: check };
      const wrapper = copyOfBuild(folder, (program) => program);
      const compile = (): Result =>
        call(folder, 'ccache', [wrapper, '-O1', '-c', 'half.c', '-o', 'half.o'], environment);
      expect([compile(), compile()].map(({ status }) => status)).toEqual([0, 0]);
      expect(missesAfter(folder, environment)).toBe(1);
      expect(readFileSync(join(folder, 'half.o')).includes('dprof_units')).toBe(true);
      copyOfBuild(folder, (program) => {
        program[program.indexOf('dprof plugin ') + 20]! ^= 1;
        return program;
      });
      const later = new Date(Date.now() + 10_000);
      utimesSync(wrapper, later, later);
      expect(compile().status).toBe(0);
      expect(missesAfter(folder, environment)).toBe(2);
    },
  );

  test.skipIf(!isInstalled('ccache'))('ccache behind the wrapper is told of the plugin', () => {
    const folder = folderOf('ccache-behind');
    const build = join(folder, 'build');
    mkdirSync(join(build, 'lib'), { recursive: true });
    const plugin = join(build, `lib/libdprof_pass-${LLVM}.so`);
    copyFileSync(join(BUILD, `lib/libdprof_pass-${LLVM}.so`), plugin);
    const environment = { CCACHE_DIR: join(folder, 'cache'), DPROF_CLANG: `ccache ${CLANG}`, DPROF_BUILD: build };
    const compile = (): Result => call(folder, DPROF_CC, ['-O1', '-c', 'half.c', '-o', 'half.o'], environment);
    expect([compile(), compile()].map(({ status }) => status)).toEqual([0, 0]);
    expect(missesAfter(folder, environment)).toBe(1);
    writeFileSync(plugin, Buffer.concat([readFileSync(plugin), Buffer.from('changed')]));
    expect(compile().status).toBe(0);
    expect(missesAfter(folder, environment)).toBe(2);
  });
});

test.each([1, 85, 170, 255])('lists of kept variables are read while they are there: freed memory is of %i', (byte) => {
  const source = join(ROOT, 'test/plugin/programs/used-globals.c');
  const { status, stderr } = call(
    folderOf(`used-globals-${byte}`),
    DPROF_CC,
    ['-O2', '-g', '-c', source, '-o', 'used.o'],
    {
      GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0',
      MALLOC_PERTURB_: String(byte),
    },
  );
  expect([status, stderr]).toEqual([0, '']);
});
