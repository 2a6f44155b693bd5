// Stage: replay. Worker entry: one replay with the engine asked for.

import { DprofError } from '../src/base/dprof-error.js';
import type { ReplayInput } from '../src/replay/input.js';
import { replayNatively } from '../src/replay/native-engine.js';
import type { EngineName, ReplayAnswer } from '../src/replay/replay.js';
import { simulate } from '../src/sim/simulate.js';

export default function run({ input, engine, workers }: { input: ReplayInput; engine: EngineName; workers: number }): ReplayAnswer {
  try {
    return { result: engine === 'native' ? replayNatively(input, workers) : simulate(input) };
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    return { failure: { message, hint, exitCode } };
  }
}
