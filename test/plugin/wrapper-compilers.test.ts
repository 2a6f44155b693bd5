// Stage: test of dprof-cc. Which clang it runs, and with which plugin.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, WORK } from './recorded-program.js';

const FOLDER = join(WORK, 'compilers');
const DPROF_FC = DPROF_CC.replace(/cc$/, 'fc');
const [ALL, ONE, OLD] = ['all', 'one', 'old-build'].map((name) => join(FOLDER, name));

/** Says its own name and which plugin it was given; of -dumpversion what it was made with. */
function fake(path: string, version = ''): void {
  const says = `[ "$1" = -dumpversion ] && echo "${version}" && exit; echo "$(basename "$0") $1"`;
  writeFileSync(path, `#!/bin/sh\n${says}\n`, { mode: 0o755 });
}

beforeAll(() => {
  for (const [build, versions] of [
    [ALL, [16, 19, 22]],
    [ONE, [19]],
    [OLD, [16]],
  ] as const) {
    mkdirSync(join(build, 'lib'), { recursive: true });
    for (const version of versions) writeFileSync(join(build, `lib/libdprof_pass-${version}.so`), '');
  }
  for (const name of ['new', 'old', 'llvm-22/bin']) mkdirSync(join(FOLDER, name), { recursive: true });
  for (const name of ['clang-16', 'clang-19', 'clang-22', 'clang++-22', 'flang-22']) fake(join(FOLDER, 'new', name));
  for (const name of ['clang-16', 'clang-19', 'clang++-19', 'flang-new-19']) fake(join(FOLDER, 'old', name));
  fake(join(FOLDER, 'llvm-22/bin/clang'));
  symlinkSync('../llvm-22/bin/clang', join(FOLDER, 'new/clang'));
  fake(join(FOLDER, 'new/cc'), '19.1.7');
  fake(join(FOLDER, 'new/strange'));
  fake(join(FOLDER, 'new/clang-17'));
  fake(join(FOLDER, 'new/cc-16'), '16.0.6');
  fake(join(FOLDER, 'new/ccache'));
});

/** "clang-22 22": what ran, and the version of the plugin. */
function runs(environment: Record<string, string>, { wrapper = DPROF_CC, build = ALL, folder = 'new' } = {}): string {
  const { stdout, stderr } = spawnSync(wrapper, ['-c', 'a.c'], {
    cwd: FOLDER,
    encoding: 'utf8',
    env: { PATH: `${join(FOLDER, folder)}:/usr/bin:/bin`, DPROF_BUILD: build, ...environment },
  });
  const [, name, plugin] = /^(\S+) -fpass-plugin=\S*-(\d+)\.so$/m.exec(stdout) ?? [];
  return name === undefined ? `${stdout}${stderr}`.trim() : `${name} ${plugin}`;
}

test.each([
  ['the newest that has a plugin', {}, {}, 'clang-22 22'],
  ['in C++', {}, { wrapper: DPROF_CXX }, 'clang++-22 22'],
  ['in Fortran', {}, { wrapper: DPROF_FC }, 'flang-22 22'],
  ['in Fortran, by its older name', { DPROF_LLVM: '19' }, { wrapper: DPROF_FC, folder: 'old' }, 'flang-new-19 19'],
  ['the newest that there is a plugin for', {}, { build: ONE }, 'clang-19 19'],
  ['the only one that there is a plugin for', {}, { build: OLD }, 'clang-16 16'],
  ['a version', { DPROF_LLVM: '19' }, {}, 'clang-19 19'],
  ['the oldest version', { DPROF_LLVM: '16' }, {}, 'clang-16 16'],
  ["the version of the project's own compiler", { CC: '/usr/bin/clang-19' }, {}, 'clang-19 19'],
  ['a project that builds with dprof-cc', { CC: 'dprof-cc' }, {}, 'clang-22 22'],
  ['a command', { DPROF_CLANG: 'clang-19' }, {}, 'clang-19 19'],
  ['a name that leads to a version', { DPROF_CLANG: 'clang' }, {}, 'clang 22'],
  ['a compiler that is asked', { DPROF_CLANG: 'cc' }, {}, 'cc 19'],
  ['another one', { DPROF_CLANG: 'cc-16' }, {}, 'cc-16 16'],
  ['one that does not say', { DPROF_CLANG: 'strange' }, {}, 'strange 22'],
] as const)('%s', (_, environment, of, expected) => {
  expect(runs(environment, of)).toBe(expected);
});

test('a compiler with words before it', () => {
  expect(runs({ DPROF_CLANG: 'ccache clang-19' })).toBe('ccache clang-19');
});

test('a clang without a plugin is refused, with the versions that there are', () => {
  expect(runs({ DPROF_CLANG: 'clang-17' })).toBe(
    'dprof-cc: clang-17 is of LLVM 17, and the plugin is built for LLVM 22, 19, 16; set DPROF_CLANG to such a ' +
      'compiler, or leave it out',
  );
  expect(runs({ DPROF_LLVM: '16' }, { wrapper: DPROF_FC })).toBe(
    'dprof-cc: flang-new-16 writes no debug information: Fortran is recorded from LLVM 19 on',
  );
  expect(runs({ DPROF_LLVM: '22' }, { build: ONE })).toContain('the plugin is built for LLVM 19;');
  expect(runs({ DPROF_LLVM: '17' })).toBe('dprof-cc: DPROF_LLVM or CC names no LLVM of 22, 19, 16');
});
