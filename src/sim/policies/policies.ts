// Stage: replay. The name of a policy, as a machine's description has it, to the policy.

import type { Policy } from '../../contract/machine.js';
import { bitPlru } from './bit-plru.js';
import { fifo } from './fifo.js';
import { lru } from './lru.js';
import type { ReplacementPolicy } from './policy.js';
import { random } from './random.js';
import { srrip } from './srrip.js';
import { treePlru } from './tree-plru.js';

export const REPLACEMENT_POLICIES: Readonly<Record<Policy, ReplacementPolicy>> = {
  lru,
  'tree-plru': treePlru,
  'bit-plru': bitPlru,
  srrip,
  fifo,
  random,
};
