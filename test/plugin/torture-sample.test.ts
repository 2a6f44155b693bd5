// Stage: test. Some of gcc's torture tests, always the same ones, at four levels; at length, linked by lld and
// optimised at the link too. test/real/torture.ts runs all of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeAll, type Job } from '../real/torture-programs.js';
import { DPROF_CC, ROOT, WORK } from './recorded-program.js';
import { atLength } from '../at-length.js';

const COUNT = atLength(6, 60);
/** One of the sixty is not compiled by clang-19, or is not the same twice. */
const FIT = atLength(6, 59);
const LEVELS = [
  ...['-O0', '-O1', '-O2', '-O3'],
  ...atLength([], ['-O1 -fuse-ld=lld', '-O2 -fuse-ld=lld -flto', '-O3 -fuse-ld=lld -flto=thin']),
];
const HOME = join(ROOT, 'build/real/gcc-torture');

/** The tests are in a Debian package that is fetched once, and not installed. */
function haveTests(): boolean {
  const execute = join(HOME, 'execute');
  if (existsSync(execute)) return true;
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'test/real/fetch-gcc-torture.sh'), HOME], {
    encoding: 'utf8',
  });
  if (status !== 0)
    process.stderr.write(
      `gcc's torture tests are skipped: the Debian package gcc-12-source can not be fetched (` +
        `${stderr.trim().split('\n').at(-1)})\n`,
    );
  return status === 0 && existsSync(execute);
}

/** Every so-manieth by name, so that the sample is spread and stays the same. */
function sample(): Job[] {
  const programs = readdirSync(join(HOME, 'execute'))
    .filter((name) => name.endsWith('.c'))
    .toSorted();
  const names = Array.from({ length: COUNT }, (_, i) => programs[Math.floor(((i + 0.5) * programs.length) / COUNT)]!);
  return names.flatMap((name) => LEVELS.map((level) => ({ name, level, source: join(HOME, 'execute', name) })));
}

test.skipIf(!haveTests())("a sample of gcc's torture tests behaves as with clang, dormant and recorded", async () => {
  const scratch = join(WORK, 'torture');
  mkdirSync(scratch);
  const build = process.env.DPROF_BUILD ?? join(ROOT, 'build');
  const { counts, faults } = await judgeAll(sample(), scratch, {
    wrapper: DPROF_CC,
    recorder: join(build, 'bin/dprof-record'),
  });
  expect(faults).toEqual([]);
  expect(LEVELS.map((level) => counts.get(`${level} same`))).toEqual(LEVELS.map(() => FIT));
});
