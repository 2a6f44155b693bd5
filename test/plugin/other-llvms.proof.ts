// Stage: proof of the plugin. With every other LLVM that it is written for, and that is installed: the tests of this
// folder.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildFor } from './other-build.js';
import { ROOT } from './recorded-program.js';

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
});
