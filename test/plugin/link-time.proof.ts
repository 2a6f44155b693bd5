// Stage: test of the plugin. Real programs, linked by lld and optimised at the link too, behave as with clang, dormant
// and recorded; so does a project of CMake that asks for it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { byScript, type Build } from '../real/real-program.js';
import { sqliteWorkload } from '../real/sqlite-workload.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { DPROF_CC, ROOT } from './recorded-program.js';
import { CLANG } from './clang.js';

const folder = makeTemporaryFolder('link-time');
const DPROF = join(ROOT, 'bin/dprof');
const LINKS = ['-fuse-ld=lld', '-fuse-ld=lld -flto', '-fuse-ld=lld -flto=thin'];
const LUA = `local t = {} for i = 1, 3000 do t[i] = i * 7919 % 10007 end table.sort(t)
  local n = 0 for w in table.concat(t, ' '):gmatch('%d+') do n = n + #w end print(n, t[1], t[3000])`;

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
}

function run(command: readonly string[], cwd = folder, environment: Readonly<Record<string, string>> = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...environment },
  });
  return { status, stdout: stdout + stderr };
}

/** The types of the references, of a recording that behaves as the program does that clang made. */
function typesOf(plain: string, instrumented: string, words: readonly string[]): string[] {
  const expected = run([plain, ...words]);
  expect(expected.status).toBe(0);
  expect(run([instrumented, ...words])).toEqual(expected);
  const trace = `${instrumented}.dptrace`;
  expect(run([DPROF, 'record', '-o', trace, '--', instrumented, ...words])).toEqual(expected);
  const view = JSON.parse(outputOf(['report', trace, '--view', 'data-profile', '--format', 'json']));
  return view.rows.map(({ type }: { type: string }) => type);
}

const sql = join(folder, 'workload.sql');
writeFileSync(sql, sqliteWorkload(400));

const PROGRAMS: readonly [name: string, build: Build, words: readonly string[], type: string][] = [
  ['lua', byScript('build-lua.sh', '-Dluai_makeseed(L)=1'), ['-e', LUA], 'struct Table'],
  ['zstd', byScript('build-zstd.sh', join(ROOT, 'bench/programs/compress.c')), ['0.05'], 'struct ZSTD_CCtx_s'],
  ['sqlite', byScript('build-sqlite.sh'), [':memory:', `.read ${sql}`], 'struct VdbeOp'],
];

test.each(PROGRAMS.flatMap(([name, ...program]) => LINKS.map((link) => [name, link, ...program] as const)))(
  '%s, %s',
  (name, link, build, words, type) => {
    const [plain, instrumented] = ([CLANG, DPROF_CC] as const).map((compiler, place) => {
      const program = join(folder, `${name}${link.replace(/\W/g, '_')}-${place}`);
      expect(run(build(compiler, program, ['-g', ...link.split(' ')]))).toMatchObject({ status: 0 });
      return program;
    });
    expect(typesOf(plain, instrumented, words)).toContain(type);
  },
);

test('a project of CMake with INTERPROCEDURAL_OPTIMIZATION', () => {
  const source = join(folder, 'project');
  mkdirSync(source);
  writeFileSync(
    join(source, 'CMakeLists.txt'),
    `cmake_minimum_required(VERSION 3.18)
project(sums C)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
set(CMAKE_EXE_LINKER_FLAGS -fuse-ld=lld)
add_library(cells STATIC cells.c)
add_executable(sums sums.c)
target_link_libraries(sums cells)
`,
  );
  writeFileSync(
    join(source, 'cells.c'),
    `static const double weights[4] = {1, 2, 3, 4};
struct cell { struct cell *next; double value; } cells[100];
double weigh(int i) { cells[i].next = &cells[i / 2]; return cells[i].value = weights[i & 3]; }
`,
  );
  writeFileSync(
    join(source, 'sums.c'),
    `#include <stdio.h>
double weigh(int);
int main(void) { double sum = 0; for (int i = 0; i < 100; i++) sum += weigh(i); printf("%g\\n", sum); return 0; }
`,
  );
  const [plain, instrumented] = ([CLANG, DPROF_CC] as const).map((compiler, place) => {
    const build = join(folder, `project-${place}`);
    const type = '-DCMAKE_BUILD_TYPE=RelWithDebInfo';
    expect(run(['cmake', '-S', source, '-B', build, type], folder, { CC: compiler })).toMatchObject({ status: 0 });
    expect(run(['cmake', '--build', build])).toMatchObject({ status: 0 });
    return join(build, 'sums');
  });
  expect(typesOf(plain, instrumented, [])).toContain('struct cell');
});
