// How parallel a drawn replay was: rows are instruction time. Both engines say the same of random traces
// (test/engine/engines-agree.test.ts).

import { expect, it } from 'vitest';
import { WaitCause } from '../../src/contract/parallelism.js';
import { parallelismLines } from '../../src/report/parallelism-lines.js';
import { Sync } from '../../src/trace/layout.js';
import { buildParallelism } from '../../src/views/parallelism.js';
import { replayDrawing } from '../drawn/replay-drawing.js';

type Options = Parameters<typeof replayDrawing>[1];

function linesOf(drawing: string, options: Options = {}): Record<string, string> {
  return Object.fromEntries(parallelismLines(buildParallelism(replayDrawing(drawing, options).result.parallelism)));
}

const LOCKED = `
      core 0                     core 1
      work 10
      lock m; W @a1; unlock m
                                 lock m; W @b1; unlock m
                                 W @b2
      W @a2`;

it('a thread that waits for a lock does not run', () => {
  const { result } = replayDrawing(LOCKED);
  // Thread 1 is at the lock at clock 2 and has it at clock 13, where thread 0 has one more instruction to do.
  expect(result.parallelism).toMatchObject({ running: [0, 13, 3] });
  expect(result.totals.instructions).toBe(16);
  expect(result.parallelism!.waits[Sync.mutex]).toBe(1);
  expect(result.parallelism!.waited[Sync.mutex]).toBe(11);
  expect(linesOf(LOCKED)).toEqual({
    parallelism: '1 thread 81.3%, 2 threads 18.8% of replay time; threads waited most for mutexes (100.0%)',
  });
});

it('running time adds up to replay time; recorded clocks, and one thread, say nothing of waits', () => {
  for (const schedule of ['logical', 'recorded'] as const) {
    const { parallelism, totals } = replayDrawing(LOCKED, { schedule }).result;
    if (schedule === 'recorded') expect(parallelism).toBeUndefined();
    else expect(parallelism!.running.reduce((sum, time) => sum + time)).toBe(totals.instructions);
  }
  expect(replayDrawing('core 0\nW @a1\nwork 4').result.parallelism).toBeUndefined();
});

it('renamed memory is counted, and memory that waits is a cause', () => {
  const drawing = `
      core 0           core 1
      alloc p
      work 40
      W @10008
      free p
                       alloc q; W @10010`;
  const block = { address: 0x10000, size: 64 };
  expect(linesOf(drawing, { heap: { p: block, q: block } })).toEqual({
    parallelism: '1 thread 88.1%, 2 threads 11.9% of replay time; no thread waited',
    renamed: '1 allocation: memory that another thread had yet to give back',
  });
  const part = { ...block, part: true };
  const { parallelism } = replayDrawing(drawing, { heap: { p: part, q: part } }).result;
  expect(parallelism!.waits[WaitCause.allocation]).toBe(1);
  expect(parallelism).toMatchObject({ renamedBlocks: 0, renamedStacks: 0 });
});

it('many numbers of threads are put together', () => {
  const running = [0, 10, 20, 30, 40, 0, 0, 0, 100];
  const table = { running, waits: [], waited: [], renamedBlocks: 0, renamedStacks: 2 };
  expect(parallelismLines(buildParallelism(table))).toEqual([
    [
      'parallelism',
      '1 thread 5.0%, 2 threads 10.0%, 3-4 threads 35.0%, 8 threads 50.0% of replay time; no thread waited',
    ],
    ['renamed', '2 stacks of threads: memory that another thread had yet to give back'],
  ]);
});
