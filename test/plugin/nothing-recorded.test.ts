// Stage: test of the plugin. A program without any access was instrumented all the same: recording it is no mistake.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DPROF_CC, ROOT, WORK } from './recorded-program.js';
import { CLANG } from './clang.js';

const DPROF = join(ROOT, 'bin/dprof');
const SOURCE = join(WORK, 'nothing.c');
writeFileSync(SOURCE, 'int main(void) { return 3; }\n');

function build(compiler: string, flags: readonly string[]): string {
  const program = join(WORK, `nothing${flags.join('')}-${compiler.split('/').at(-1)}`);
  expect(spawnSync(compiler, [...flags, SOURCE, '-o', program], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
  return program;
}

test.each([[['-O2']], [['-O2', '-flto']], [['-O2', '-Wl,--gc-sections']]])(
  'its trace is whole and empty, its status is the program’s: %s',
  (flags) => {
    const program = build(DPROF_CC, flags);
    expect(spawnSync(DPROF, ['record', '-o', `${program}.dptrace`, program], { encoding: 'utf8' })).toMatchObject({
      status: 3,
      stderr: '',
    });
    const { stdout } = spawnSync(
      DPROF,
      ['report', `${program}.dptrace`, '--view', 'data-profile', '--format', 'json'],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({ rows: [] });
  },
);

test('the same program from another compiler is refused', () => {
  const program = build(CLANG, ['-O2']);
  expect(spawnSync(DPROF, ['record', '-o', `${program}.dptrace`, program], { encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: `dprof: ${program} is not instrumented: nothing was recorded\nhint: build it with dprof-cc or dprof-c++\n`,
  });
});
