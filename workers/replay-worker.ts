// Stage: replay. Worker entry: one replay with the engine asked for, on one machine or on several.

import { DprofError } from '../src/base/dprof-error.js';
import type { ReplayInput } from '../src/contract/input.js';
import type { Machine } from '../src/contract/machine.js';
import { replayNativelyOn } from '../src/replay/native-engine.js';
import type { EngineName, ReplayAnswer } from '../src/replay/replay.js';
import { simulate } from '../src/sim/simulate.js';

interface Task {
  readonly input: ReplayInput;
  readonly otherMachines: readonly Machine[];
  readonly engine: EngineName;
  readonly workers: number;
}

export default function run({ input, otherMachines, engine, workers }: Task): ReplayAnswer {
  try {
    if (engine === 'native') return { results: replayNativelyOn(input, otherMachines, workers) };
    return { results: [input.machine, ...otherMachines].map((machine) => simulate({ ...input, machine })) };
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    return { failure: { message, hint, exitCode } };
  }
}
