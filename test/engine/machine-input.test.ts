// Machines that the native engine refuses: the error names the field.

import { expect, test } from 'vitest';
import type { Machine } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { replayNatively } from './replay-natively.js';
import { randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const plain: Machine = {
  ...randomWholeMachine(1),
  cores: 8,
  coresPerL1: 1,
  coresPerL2: 1,
  coresPerLlc: 4,
  coresPerSocket: 4,
};

test.each([
  [{ coresPerL1: 2, coresPerL2: 3 }, 'coresPerL2 must be a multiple of coresPerL1'],
  [{ coresPerLlc: 4, coresPerSocket: 6 }, 'coresPerSocket must be a multiple of coresPerLlc'],
  [{ coresPerL1: 0 }, 'at least one core for coresPerL1'],
  [{ protocol: 'mosi' }, "protocol 'mosi' is not known"],
  [{ l2: { ...plain.l2, policy: 'plru' } }, "l2.policy 'plru' is not known"],
  [{ l2: { ...plain.l2, prefetchers: ['markov'] } }, "l2.prefetchers 'markov' is not known"],
  [
    { llc: { sizeBytes: 12 * 1024, ways: 12, latencyCycles: 1, policy: 'tree-plru' } },
    'llc.ways of tree-plru must be a power of two',
  ],
  [{ llc: { sizeBytes: 1000, ways: 2, latencyCycles: 1 } }, 'llc.sizeBytes must be a whole number of sets'],
  [{ pageBytes: 6000 }, 'pageBytes must be a power of two'],
  [{ seed: -1 }, 'seed must be a whole number from 0 to 4294967295'],
  [
    { tlb: { l1: { entries: 6, ways: 4 }, l2LatencyCycles: 1, walkLatencyCycles: 1 } },
    'tlb.l1.entries must be a multiple of its ways',
  ],
  [{ tlb: { l1: { entries: 4, ways: 4 }, l2LatencyCycles: 1 } }, 'tlb.walkLatencyCycles must be a number'],
])('%j is refused', (change, message) => {
  const input = replayInput(
    openTrace(traceFile(randomTrace(1, { actions: 5 }))),
    { ...plain, ...(change as Partial<Machine>) },
    { kind: 'logical' },
  );
  expect(() => replayNatively(input)).toThrow(`the native engine cannot replay this: machine: ${message}`);
});
