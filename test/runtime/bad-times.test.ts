// A few of what `node dist/test/real/bad-times.js` does by the hundred: whatever happens, the program behaves as
// without dprof, and what was recorded is the beginning of what it did.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  canMount,
  closeReader,
  FaultBench,
  fillDisk,
  fillSharedMemory,
  judgeMode,
  killProgram,
  killRecorder,
  modes,
} from '../real/faults.js';

let bench: FaultBench;
beforeAll(() => {
  bench = new FaultBench(7);
});
afterAll(() => bench.clean());

describe('hard programs behave as without dprof, and every trace is whole', () => {
  test.each(modes(true).map((mode) => [`${mode.under ?? ''}${mode.program.join(' ')}`, mode] as const))(
    '%s',
    async (_, mode) => {
      expect(await judgeMode(bench, mode)).toEqual([]);
    },
  );
});

const mounts = canMount();
describe(`faults at random moments${mounts ? '' : ' (full disks are left out: this user may not mount)'}`, () => {
  test.each([
    ['kill -9 of the program', killProgram],
    ['kill -9 of the recorder', killRecorder],
    ['a reader that goes away', closeReader],
    ...(mounts
      ? ([
          ['a full disk', fillDisk],
          ['a full or missing /dev/shm', fillSharedMemory],
        ] as const)
      : []),
  ] as const)('%s', async (_, judge) => {
    for (let i = 0; i < 3; i++) expect(await judge(bench)).toEqual([]);
  });
});
