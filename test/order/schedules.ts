// Stage: test. Schedules to try whatever should hold under each.

import type { Schedule } from '../../src/contract/machine.js';

export const SCHEDULES: readonly Schedule[] = [
  { kind: 'logical' },
  { kind: 'recorded' },
  { kind: 'random', seed: 0 },
  { kind: 'random', seed: 1 },
  { kind: 'random', seed: 0xffff_ffff },
];
