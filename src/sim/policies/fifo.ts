// Stage: replay. FIFO: a fill makes a line the newest, a hit changes nothing, and the oldest leaves.

import { lru } from './lru.js';
import type { ReplacementPolicy } from './policy.js';

export const fifo: ReplacementPolicy = (ways, cache) => {
  const makeSet = lru(ways, cache);
  return () => ({ ...makeSet(), hit: () => {} });
};
