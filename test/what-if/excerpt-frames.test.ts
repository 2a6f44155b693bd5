// Excerpts of a run leave most of its steps out; which functions an allocation is in is known all the same.

import { closeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { CALL_PATH_FRAMES } from '../../src/contract/result.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { Allocator, EventCode, RecordFlag } from '../../src/trace/layout.js';
import { placeNatively } from '../../src/what-if/native-placing.js';
import { nothingPlaced } from '../../src/what-if/placed-objects.js';
import { placeTrace, type PlacedTrace } from '../../src/what-if/placed-trace.js';
import { survey } from '../../src/what-if/survey.js';
import { atLength } from '../at-length.js';
import { SMALL } from '../drawn/replay-drawing.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { traceFile } from '../random/trace-file.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { inputOf, placedAll } from './placed-input.js';

const SEEDS = atLength(12, 300);
const STEPS = 2000;
const THREADS = 2;

/** Calls, returns, some of which are not seen, allocations, and frames that have variables. */
function randomCalls(seed: number): Uint8Array {
  const random = new RandomNumbers(seed);
  const builder = new UnitBuilder();
  const functions = Array.from({ length: 6 }, (_, index) => builder.function(`f${index}`));
  const records = functions.map((own) => {
    const calls = functions.map((callee, line) => builder.call(own, `f${callee}`, builder.position(own, line + 1)));
    const segment = (flags: number, call = 0): number =>
      builder.alone('segment', [builder.slot('load', { function: own })], { flags, function: own, call });
    const variable = builder.variable('stack', `v${own}`, 0, 16);
    return {
      enters: [0, ...calls].map((call) => segment(RecordFlag.entry, call)),
      framed: builder.alone('marker', [builder.slot('object', { sizeBytes: 16, variable })], {
        flags: RecordFlag.entry | RecordFlag.frame,
        function: own,
      }),
      calls: calls.map((call) => segment(0, call)),
      leaves: segment(RecordFlag.exit),
      unframed: builder.alone('marker', [], { flags: RecordFlag.exit | RecordFlag.frame, function: own }),
      whole: segment(RecordFlag.entry | RecordFlag.exit),
      allocation: builder.alone('allocation', [builder.slot('site', { sizeBytes: 0, function: own })], {
        function: own,
      }),
    };
  });
  const writer = new TraceWriter();
  writer.module('calls', [writeUnit(builder.unit)], []);
  let stamp = 0n;
  for (let thread = 0; thread < THREADS; thread++) {
    const steps: EncodedStep[] = [];
    const stack: { own: number; isFramed: boolean }[] = [];
    let blocks = 0;
    for (let at = 0; at < STEPS; at++) {
      const inner = stack.at(-1) ?? { own: 0, isFramed: false };
      const here = records[inner.own];
      const frame = BigInt(0x7f_0000_0000 + thread * 2 ** 24 - stack.length * 64);
      const what = random.below(100);
      if (what < 30) {
        const own = random.below(records.length);
        const isFramed = random.chance(30);
        stack.push({ own, isFramed });
        steps.push({ path: isFramed ? records[own].framed : random.pick(records[own].enters), words: [frame] });
      } else if (what < 55 && stack.length > 0) {
        stack.pop();
        if (random.chance(95))
          // else it is left by an exception
          steps.push(inner.isFramed ? { path: here.unframed, words: [] } : { path: here.leaves, words: [frame] });
      } else if (what < 58) stack.length = random.below(stack.length + 1);
      else if (what < 70) {
        const address = BigInt(0x1_0000_0000 * (thread + 1) + blocks++ * 64);
        const event = {
          code: EventCode.allocate,
          detail: Allocator.malloc,
          stamp: ++stamp,
          address,
          size: 32n,
          pool: 0,
        };
        steps.push(event, { path: here.allocation, words: [address, 32n] });
      } else if (what < 75) steps.push({ path: random.pick(records).whole, words: [frame] });
      else steps.push({ path: random.pick(here.calls), words: [frame] });
    }
    writer.events(thread, steps);
  }
  return writer.finish();
}

/** Of all objects that have one, in any order: the thread, the functions and the calls. */
function pathsOf(input: ReplayInput): string[] {
  const [{ objects, callPaths }] = replayNativelyOn(input, [], 1);
  const own = (column: Uint32Array, path: number): string =>
    column.subarray(path * CALL_PATH_FRAMES, (path + 1) * CALL_PATH_FRAMES).join(' ');
  const paths: string[] = [];
  for (let object = 0; object < objects.count; object++) {
    const path = objects.callPath[object];
    if (path !== 0 && path !== NO_INDEX)
      paths.push(`${objects.thread[object]}: ${own(callPaths.function, path)}; ${own(callPaths.call, path)}`);
  }
  return paths.sort();
}

test(`paths to allocations in excerpts of ${SEEDS} random runs`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const trace = openTrace(traceFile(randomCalls(seed)));
    const input = replayInput(trace, { ...SMALL, cores: THREADS, coresPerLlc: THREADS }, { kind: 'recorded' });
    const random = new RandomNumbers(seed);
    const kept = 1 + random.below(10);
    const excerpts = { kept, period: kept + 20 + random.below(200) };
    const placed = nothingPlaced(survey(input).objects.count);
    const [native] = await placeNatively(input, [{ placed, loops: null }], excerpts);
    const expected = pathsOf(input);
    const ofExcerpts = (one: PlacedTrace): string[] => {
      const paths = pathsOf(inputOf(input, one));
      closeSync(one.descriptor);
      return paths;
    };
    expect(ofExcerpts(placedAll(native)), `seed ${seed}, native`).toEqual(expected);
    expect(ofExcerpts(placeTrace(input, placed, excerpts)), `seed ${seed}, ts`).toEqual(expected);
    expect(new Set(expected).size, `seed ${seed}: paths`).toBeGreaterThan(50);
  }
});
