// Very many threads: the native engine's memory follows those that are alive and what they touch, not how many there
// ever were; and the numbers of a replay with more threads than it reads far ahead for are the simulator's.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { simulate } from '../../src/sim/simulate.js';
import { replayInput } from '../../src/replay/open-trace.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { EventCode, Sync } from '../../src/trace/layout.js';
import { replayNatively } from './replay-natively.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { DPROF, makeFolder, saveTrace } from '../cli/command-line.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { randomMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

const COUNTER_AT = 0x4000n;
const STACKS_AT = 0x100_0000n;
const STACK_BYTES = 0x1000n;
const MANY = atLength(600, 3000);

/**
 * The first thread starts `alive` threads, waits for them, and so on until there were `count`. Each takes a lock and
 * stores `stores` times.
 */
function manyThreads(count: number, alive: number, stores: number): Buffer {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const variable = unit.variable('global', 'counter', long, 8);
  const run = unit.function('run');
  const path = unit.alone(
    'segment',
    [unit.slot('store', { type: long, path: '', offset: 0, variable, function: run, line: 7 })],
    { instructions: 3, function: run },
  );
  const writer = new TraceWriter();
  writer.module('/tmp/many', [writeUnit(unit.unit)], [{ address: COUNTER_AT, unit: 0, variable }]);
  let stamp = 0n;
  const first: EncodedStep[] = [];
  for (let begin = 1; begin <= count; begin += alive) {
    const numbers = Array.from({ length: Math.min(alive, count + 1 - begin) }, (_, index) => begin + index);
    const stackOf = (number: number): bigint => STACKS_AT + BigInt(number - begin) * STACK_BYTES;
    const steps = new Map<number, EncodedStep[]>();
    for (const number of numbers) {
      first.push({ code: EventCode.release, detail: Sync.threadCreate, stamp: ++stamp, address: BigInt(number) });
      steps.set(number, [
        { code: EventCode.threadStart, stamp: ++stamp, creator: 0, address: stackOf(number), size: STACK_BYTES },
      ]);
    }
    for (const [number, of] of steps) {
      of.push({ code: EventCode.acquire, detail: Sync.mutex, stamp: ++stamp, address: 0x80n });
      for (let i = 0; i < stores; i++)
        of.push({ path, words: [i % 2 ? COUNTER_AT : stackOf(number) + BigInt((i * 40) % 4096)] });
      of.push({ code: EventCode.release, detail: Sync.mutex, stamp: ++stamp, address: 0x80n });
    }
    for (const [number, of] of steps) {
      of.push({ code: EventCode.blocked, stamp: ++stamp });
      of.push({ code: EventCode.threadEnd, stamp: ++stamp, address: stackOf(number), size: STACK_BYTES });
    }
    for (const number of numbers)
      first.push({ code: EventCode.acquire, detail: Sync.threadJoin, stamp: ++stamp, address: BigInt(number) });
    for (const [number, of] of steps) writer.events(number, of);
  }
  writer.events(0, first);
  return writer.finish();
}

/** KiB that a whole `dprof replay` held at most. */
function peakOfReplay(trace: string, ...options: string[]): number {
  const says =
    "import { isMainThread } from 'node:worker_threads'; if (isMainThread) process.on('exit', () => " +
    "console.error('peak', process.resourceUsage().maxRSS));";
  const { status, stderr } = spawnSync(DPROF, ['replay', trace, '-o', `${trace}.dprofile`, ...options], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(says)}` },
  });
  expect(status, stderr).toBe(0);
  return Number(/^peak (\d+)$/m.exec(stderr)?.[1]);
}

test(`${MANY} short threads, one or a hundred alive at a time, replay in 40 MiB more than three do`, () => {
  const folder = makeFolder();
  for (const alive of [1, 100]) {
    const few = saveTrace(folder, `few-${alive}.dptrace`, manyThreads(3, 1, 4));
    const many = saveTrace(folder, `many-${alive}.dptrace`, manyThreads(MANY, alive, 4));
    for (const options of [
      ['--workers', '1'],
      ['--workers', '2'],
      ['--schedule', 'recorded'],
      ['--schedule', 'random:5'],
    ]) {
      const more = peakOfReplay(many, '--cores', '2', ...options) - peakOfReplay(few, '--cores', '2', ...options);
      expect(more / 1024, `MiB more with ${alive} alive, ${options.join(' ')}`).toBeLessThan(40);
    }
  }
});

test(
  "a hundred and twenty threads alive at a time give the simulator's numbers with one worker and with two, in " +
    'every order',
  () => {
    const trace = openWithFlow(traceFile(manyThreads(130, 120, atLength(250, 700))));
    for (const schedule of [{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: 5 }] as const) {
      const input = replayInput(trace, randomMachine(3), schedule);
      const expected = describeResult(simulate(input));
      for (const workers of [1, 2])
        expect(describeResult(replayNatively(input, workers)), `${schedule.kind}, ${workers} workers`).toEqual(
          expected,
        );
    }
  },
);
