// Stage: test of dprof-cc --libc=musl: what it refuses, each with one line and a hint. A musl is built, and programs
// are linked with it, in test/real/musl.proof.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, WORK } from './recorded-program.js';

const FOLDER = join(WORK, 'wrapper-musl');
const KEPT = join(FOLDER, 'kept');

beforeAll(() => {
  mkdirSync(FOLDER);
  for (const name of ['main.c', 'main.cc']) writeFileSync(join(FOLDER, name), 'int main(void) { return 0; }\n');
});

function refusal(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const { status, stderr } = spawnSync(command, args, {
    cwd: FOLDER,
    encoding: 'utf8',
    env: { ...process.env, DPROF_MUSL: KEPT, ...environment },
  });
  expect(status).toBe(1);
  return stderr;
}

test.each([
  [
    'another library',
    ['--libc=foo', 'main.c'],
    /^dprof-cc: --libc=foo: .* is musl; hint: --libc=musl, or leave it out$/,
  ],
  ['no library', ['main.c', '--libc'], /^dprof-cc: --libc needs a musl$/],
  ['a shared library', ['--libc=musl', '-shared', 'main.c'], /no shared libraries; hint: leave out -shared/],
  ['a source of C++', ['--libc=musl', 'main.cc'], /is for C: there is no C\+\+ library for musl; hint: /],
  ['its language said', ['--libc=musl', '-x', 'c++', 'main.c'], /is for C: /],
  ['OpenMP', ['--libc', 'musl', '-fopenmp', 'main.c'], /no OpenMP library; hint: leave out -fopenmp/],
  ['no C library at all', ['-fdprof-libc=musl', '-nostdlib', 'main.c'], /no C library; hint: leave out one of the two/],
  ['another processor', ['--libc=musl', '-m32', 'main.c'], /for x86-64 alone; hint: /],
])('%s is refused with a hint', (_, args, line) => {
  const said = refusal(DPROF_CC, args).trimEnd();
  expect(said).toMatch(line);
  expect(said.split('\n')).toHaveLength(1);
  expect(existsSync(KEPT)).toBe(false); // nothing was built for it
});

test('dprof-c++ is refused too', () => {
  expect(refusal(DPROF_CXX, ['--libc=musl', '-c', 'main.c'])).toMatch(/is for C: .*hint: /);
});

test('a folder that has not musl in it is no source of one', () => {
  const said = refusal(DPROF_CC, ['--libc=musl', 'main.c'], { DPROF_MUSL_SOURCE: FOLDER });
  expect(said).toContain(`${FOLDER} has not musl's sources`);
  expect(said).toMatch(/musl could not be built; hint: .*DPROF_MUSL_SOURCE names a folder with its sources$/m);
});
