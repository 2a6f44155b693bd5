// Stage: test. How the tests of live traces have them replayed.
import type { ReplayRequest } from '../../src/cli/machine-options.js';

export const request: ReplayRequest = {
  machines: [{}],
  schedule: { kind: 'logical' },
  schedules: undefined,
  window: undefined,
  engine: 'native',
  workers: 2,
  kernelStores: false,
  sharedVariables: false,
  map: 'thread',
  flow: { by: 'function', mostPaths: 1000, mostSteps: 64 },
};
