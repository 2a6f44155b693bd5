// Stage: trace -> what-if. CachePerf's rule by the native engine (engine/placing/cacheperf_walk.h): the same numbers as
// cacheperf-walk.ts.

import type { ReplayInput } from '../contract/input.js';
import { ask, loadAddon } from '../replay/native-engine.js';
import { CACHEPERF_ORDER, type CacheperfCounts, type CacheperfRequest } from './cacheperf-columns.js';
import { inputOf } from './native-placing.js';

/** The request's lines are those of the input's machine. */
export async function cacheperfNatively(input: ReplayInput, request: CacheperfRequest): Promise<CacheperfCounts> {
  const ordered = inputOf(input, CACHEPERF_ORDER);
  return (await ask(input, () => loadAddon().cacheperf(ordered, request))) as CacheperfCounts;
}
