// Steps of several threads that make more references than a batch holds: they are laid out in parts, and nobody can
// tell.

import { expect, test } from 'vitest';
import { replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { DYNAMIC, UnitBuilder } from '../drawn/unit-builder.js';
import { randomMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

const BUFFERS_AT = 0x100_0000;
/** With lines of any length several batches of 2048 references. */
const BYTES = atLength(60_007n, 200_003n);

/** Three threads copy, fill and scan the same two buffers by turns, each a byte further than the one before. */
function longSteps(): Buffer {
  const unit = new UnitBuilder();
  const bytes = unit.type('scalar', 'char', 1);
  const copy = unit.function('copy');
  const options = { sizeBytes: DYNAMIC, type: bytes, function: copy };
  const slots = [
    unit.slot('load', { type: bytes, sizeBytes: 8 }),
    unit.slot('copyLoad', options),
    unit.slot('copyStore', options),
    unit.slot('store', { type: bytes, sizeBytes: 8 }),
  ];
  const path = unit.alone('segment', slots, { instructions: 90, function: copy });
  const fill = unit.alone('segment', [unit.slot('fill', options), unit.slot('scan', options)], {
    instructions: 70,
    function: copy,
  });
  const writer = new TraceWriter();
  writer.module('/tmp/long', [writeUnit(unit.unit)], []);
  for (const thread of [0, 1, 2]) {
    const [from, to] = [BigInt(BUFFERS_AT + thread), BigInt(BUFFERS_AT + 0x20_0000 + 60 - thread)];
    const steps: EncodedStep[] = [
      { path, words: [from, from, to, BYTES, to] },
      { path: fill, words: [to, BYTES, from, BYTES] },
      { path, words: [to, to, from, BYTES, from] },
    ];
    writer.events(thread, steps);
  }
  return writer.finish();
}

test(
  "copies, fills and scans longer than a batch give the simulator's numbers with any number of workers, in every " +
    'order',
  () => {
    const trace = openWithFlow(traceFile(longSteps()));
    const machine = { ...randomMachine(3), coresPerLlc: 1 };
    for (const schedule of [{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: 7 }] as const) {
      for (const cores of [1, 2]) {
        const input = replayInput(trace, { ...machine, cores }, schedule);
        const result = simulate(input);
        expect(result.totals.references, 'several batches').toBeGreaterThan(10_000);
        const expected = describeResult(result);
        for (const workers of [1, 3])
          expect(
            describeResult(replayNatively(input, workers)),
            `${schedule.kind}, ${cores} cores, ${workers} workers`,
          ).toEqual(expected);
      }
    }
  },
);
