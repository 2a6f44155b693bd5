// Stage: proof of the plugin. With every other LLVM that it is written for, and that is installed: the tests of this
// folder, and the counts of the examples.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildFor } from './other-build.js';
import { DPROF_CC, ROOT, WORK } from './recorded-program.js';

/** Loads and stores by type, of an example as it is compiled without optimisation. */
function countsOf(example: string, version: number, build: string): string[] {
  const program = join(WORK, `${example.replaceAll('/', '-')}-${version}`);
  const environment = { ...process.env, DPROF_LLVM: `${version}`, DPROF_BUILD: build };
  const source = join(ROOT, 'examples', example);
  execFileSync(DPROF_CC, ['-O0', '-pthread', source, '-o', program], { env: environment, stdio: 'pipe' });
  const dprof = join(ROOT, 'bin/dprof');
  execFileSync(dprof, ['record', '-o', `${program}.dptrace`, '--', program], { stdio: 'pipe' });
  const report = execFileSync(dprof, ['report', `${program}.dptrace`, '--format', 'json'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const rows: { type: string; references: { loads: number; stores: number } }[] = JSON.parse(report).rows;
  return rows.map(({ type, references }) => `${type}: ${references.loads}, ${references.stores}`).toSorted();
}

// Not producer-consumer, whose threads spin.
const EXAMPLES = ['capacity', 'conflict', 'false-sharing', 'locked-queue', 'matmul-160', 'true-sharing']
  .map((name) => `${name}/${name}.c`)
  .concat('questions/orders.c');

describe.each([16, 22])('LLVM %i', (version) => {
  const isThere = existsSync(`/usr/bin/llvm-config-${version}`) && existsSync(`/usr/bin/clang-${version}`);
  test.skipIf(!isThere)(`the plugin's tests pass (Debian packages clang-${version} and llvm-${version}-dev)`, () => {
    const environment = { ...process.env, DPROF_LLVM: `${version}`, DPROF_BUILD: buildFor(version), DPROF_PROOFS: '0' };
    const { status, stdout } = spawnSync('npx', ['vitest', 'run', 'test/plugin'], {
      cwd: ROOT,
      env: environment,
      encoding: 'utf8',
    });
    expect({ status, failed: stdout.split('\n').filter((line) => line.includes('FAIL')) }).toEqual({
      status: 0,
      failed: [],
    });
  });

  test.skipIf(!isThere).each(EXAMPLES)(
    'without optimisation, %s makes the references that it makes with 19',
    (name) => {
      const counts = countsOf(name, version, buildFor(version));
      expect(counts.length).toBeGreaterThan(3);
      expect(counts).toEqual(countsOf(name, 19, join(ROOT, 'build')));
    },
  );
});
