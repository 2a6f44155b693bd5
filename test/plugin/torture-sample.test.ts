// Stage: test. Some of gcc's torture tests, always the same ones, at four levels; at length, linked by lld and
// optimised at the link too. test/real/torture.ts runs all of them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeAll, type Job } from '../real/torture-programs.js';
import { haveTortureTests, TORTURE, tortureSample } from '../real/torture-sample.js';
import { DPROF_CC, ROOT, WORK } from './recorded-program.js';
import { atLength } from '../at-length.js';

const COUNT = atLength(6, 60);
/** One of the sixty is not compiled by clang-19, or is not the same twice. */
const FIT = atLength(6, 59);
const LEVELS = [
  ...['-O0', '-O1', '-O2', '-O3'],
  ...atLength([], ['-O1 -fuse-ld=lld', '-O2 -fuse-ld=lld -flto', '-O3 -fuse-ld=lld -flto=thin']),
];
function sample(): Job[] {
  return tortureSample(COUNT).flatMap((name) => LEVELS.map((level) => ({ name, level, source: join(TORTURE, name) })));
}

test.skipIf(!haveTortureTests())(
  "a sample of gcc's torture tests behaves as with clang, dormant and recorded",
  async () => {
    const scratch = join(WORK, 'torture');
    mkdirSync(scratch);
    const build = process.env.DPROF_BUILD ?? join(ROOT, 'build');
    const { counts, faults } = await judgeAll(sample(), scratch, {
      wrapper: DPROF_CC,
      recorder: join(build, 'bin/dprof-record'),
    });
    expect(faults).toEqual([]);
    expect(LEVELS.map((level) => counts.get(`${level} same`))).toEqual(LEVELS.map(() => FIT));
  },
);
