// Stage: profile -> views. What levels and classes of misses are called.

import type { LevelName, MissClass } from '../contract/machine.js';

export const LEVEL_NAMES: Readonly<Record<LevelName, string>> = { l1: 'L1', l2: 'L2', llc: 'LLC' };

export const CLASS_NAMES: Readonly<Record<MissClass, string>> = {
  compulsory: 'compulsory',
  'true-sharing': 'true sharing',
  'false-sharing': 'false sharing',
  conflict: 'conflict',
  capacity: 'capacity',
};
