// The kernel's writes into the program's buffers: ranges in the trace, stores in a replay that asks for them, and
// otherwise only a count.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { openTrace, replayInput, withKernelStores, type OpenedTrace } from '../../src/replay/open-trace.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from '../engine/replay-natively.js';
import { referencesOf } from '../real/faults.js';
import { Workbench } from './workbench.js';

const bench = new Workbench();
let trace: OpenedTrace;
let area: number;
beforeAll(() => {
  const { stdout, trace: path } = bench.record('kernel.dptrace', [bench.compile('kernel-stores.c')]);
  trace = openTrace(path);
  area = parseInt(stdout, 16);
});
afterAll(() => bench.clean());

const replays = (opened: OpenedTrace): ReplayResult[] =>
  [simulate, replayNatively].map((replay) => replay(replayInput(opened, resolveMachine({}, 1), { kind: 'logical' })));

test('without the option they are counted: 100 of read, 8 of readv, 16 of getrandom, 2 of recvmsg, 4 of recv', () => {
  for (const { totals } of replays(trace)) expect([totals.references, totals.unseenBytes]).toEqual([0, 130]);
  expect(referencesOf(trace).toString()).toBe('');
});

test('with it each line of each range is a store', () => {
  const expected = [
    [60, 4],
    [64, 64],
    [128, 32],
    [256, 3],
    [384, 5],
    [448, 16],
    [256, 2],
    [0, 4],
  ];
  expect(referencesOf(withKernelStores(trace)).toString()).toBe(
    expected.map(([at, bytes]) => `0 w ${(area + at).toString(16)} ${bytes}\n`).join(''),
  );
  for (const { totals } of replays(withKernelStores(trace))) {
    expect([totals.references, totals.stores, totals.unseenBytes, totals.hits[0], totals.misses[0]]).toEqual([
      8, 8, 0, 2, 6,
    ]);
  }
});
