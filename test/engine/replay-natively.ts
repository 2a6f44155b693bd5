// Stage: test. One machine on the native engine, on this thread: the mirror of simulate.

import type { ReplayInput } from '../../src/contract/input.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';

export function replayNatively(input: ReplayInput, workers = 1): ReplayResult {
  return replayNativelyOn(input, [], workers)[0];
}
