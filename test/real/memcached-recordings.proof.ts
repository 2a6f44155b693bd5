// Stage: test. Twenty recordings of memcached with four workers, half of them on one CPU: where its threads did the
// same, a type's sharing misses are one number, or marked. They never do quite the same: a worker that finds its next
// request come already does not ask the kernel again. Nor does a connection always go to the worker of the same number.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { differenceOf, FIRST_CPU, readRecording, unmarked, type Recording } from '../recorded/handed-on.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { buildMemcached, recordLoad } from './memcached-load.js';

/** References, of 1.3 million: what a worker does for one request takes thousands. */
const SAME = 100;

it('20 recordings of memcached give one number for a type, or say what may differ', async () => {
  const folder = makeTemporaryFolder('memcached');
  const program = buildMemcached();
  const all: Recording[] = [];
  for (let number = 0; number < 20; number++) {
    const isOnOneCpu = number % 2 === 1;
    const trace = join(folder, `memcached-${number}.dptrace`);
    const { status, hits } = await recordLoad(program, trace, isOnOneCpu ? FIRST_CPU : '0-1023', 500);
    expect([status, hits > 0]).toEqual([0, true]);
    all.push(readRecording(trace, isOnOneCpu));
  }
  const compared = all.flatMap((one, at) => all.slice(at + 1).filter((other) => differenceOf(one, other) <= SAME));
  expect(compared.length).toBeGreaterThan(0);
  expect(unmarked(all, SAME)).toEqual([]);
});
