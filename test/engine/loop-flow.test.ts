// The flow of loops that go through one object from several places, or from object to object: the native engine counts
// runs of iterations at once where it can, and has the numbers of the simulator, which goes through them one by one.

import { expect, test } from 'vitest';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { PATHS_BY } from '../../src/replay/places.js';
import { simulate } from '../../src/sim/simulate.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { Allocator, EventCode, STRIDE_LOGGED } from '../../src/trace/layout.js';
import { replayNatively } from './replay-natively.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { addLoop } from '../drawn/region-builder.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { differences } from './equal-results.js';

const SEEDS = Number(process.env.DPROF_SEEDS ?? 40);
const HEAP = 0x10_0000;
/** Many pages; two that share a line; some pages. */
const SIZES = [70_000, 40, 200, 9000];
const STRIDES = [0, 4, 8, -8, 24, 64, 100, 4096, -1500];

/** Loops of one to four accesses from three functions, each of 1 to 300 iterations. */
function loopsOf(random: RandomNumbers): Uint8Array {
  const builder = new UnitBuilder();
  const functions = ['first', 'second', 'third'].map((name) => builder.function(name));
  const loops = Array.from({ length: 4 }, () => {
    const records = Array.from({ length: random.between(1, 2) }, () =>
      builder.record(
        'segment',
        Array.from({ length: random.between(1, 2) }, () => ({
          ...builder.slot(random.pick(['load', 'store']), {
            sizeBytes: random.pick([1, 4, 8, 12, 16]),
            function: random.pick(functions),
            line: random.between(1, 5),
          }),
          delta: STRIDE_LOGGED,
        })),
        { instructions: random.between(1, 9) },
      ),
    );
    const accesses = records.reduce((sum, record) => sum + builder.unit.records[record].slotCount, 0);
    return { path: addLoop(builder.unit, records), accesses };
  });
  let next = HEAP;
  const objects = SIZES.map((size) => ({ address: (next += size) - size, size }));
  const steps: EncodedStep[] = objects.map(({ address, size }, at) => ({
    code: EventCode.allocate,
    detail: Allocator.malloc,
    stamp: BigInt(at + 1),
    address: BigInt(address),
    value: BigInt(size),
  }));
  for (let turn = 0; turn < 6; turn++) {
    const { path, accesses } = random.pick(loops);
    const favourite = random.pick(objects);
    const starts = Array.from({ length: accesses }, () => {
      const { address, size } = random.chance(70) ? favourite : random.pick(objects);
      return BigInt(address + random.below(size));
    });
    const strides = starts.map(() => BigInt.asUintN(64, BigInt(random.pick(STRIDES))));
    // As the words lie: the number of iterations, then of each access its address and its stride.
    steps.push({
      path,
      words: [BigInt(random.between(1, 300)), ...starts.flatMap((start, at) => [start, strides[at]])],
    });
  }
  const writer = new TraceWriter();
  writer.module('loops', [writeUnit(builder.unit)], []);
  writer.events(0, steps);
  return writer.finish();
}

test(`${SEEDS} programs of loops have the same paths, residency and sets in both engines`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new RandomNumbers(seed);
    const trace = openTrace(traceFile(loopsOf(random)));
    const machine = { ...randomMachine(seed), cores: 1, coresPerLlc: 1 };
    for (const by of PATHS_BY) {
      const input = replayInput({ ...trace, flow: { by, mostPaths: 1000, mostSteps: 64 } }, machine, {
        kind: 'logical',
      });
      const limited = {
        ...input,
        flow: { ...input.flow!, mostSteps: random.pick([2, 20, 64]), mostOpenSteps: random.pick([6, 1000]) },
      };
      expect(
        differences(simulate(limited), replayNatively(limited, 1 + (seed % 2)), 'ts', 'native').slice(0, 6),
        `seed ${seed}, ${by}`,
      ).toEqual([]);
    }
  }
});
