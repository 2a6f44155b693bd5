// What tests of a lone thread's drawn steps share: a small machine, and both engines held against each other on them.

import { expect } from 'vitest';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import type { Machine } from '../../src/contract/machine.js';
import type { Unit } from '../../src/trace/unit.js';
import { traceFile } from '../random/trace-file.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { differences } from './equal-results.js';

/** Its LLC has 4 KiB. */
export const smallMachine = (l1: Machine['l1'], l2: Machine['l2']): Machine => ({
  name: 'small',
  cores: 1,
  coresPerLlc: 1,
  lineBytes: 64,
  l1,
  l2,
  llc: { sizeBytes: 4096, ways: 4, latencyCycles: 50 },
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 170,
});

/** Without the flow, and with it by line and by function; by one worker and by two in turn. */
export function expectSameCounts(unit: Unit, steps: EncodedStep[], machine: Machine, seed: number): void {
  const writer = new TraceWriter();
  writer.module('drawn', [writeUnit(unit)], []);
  writer.events(0, steps);
  const trace = openTrace(traceFile(writer.finish()));
  const flows = [
    undefined,
    { by: 'line', mostPaths: 500, mostSteps: 64 },
    { by: 'function', mostPaths: 500, mostSteps: 64 },
  ] as const;
  for (const flow of flows) {
    const input = replayInput(flow ? { ...trace, flow } : trace, machine, { kind: 'logical' });
    const found = differences(simulate(input), replayNativelyOn(input, [], 1 + (seed % 2))[0], 'ts', 'native');
    expect(found.slice(0, 6), `seed ${seed}, flow by ${flow?.by ?? 'nothing'}`).toEqual([]);
  }
}
