// Stage: replay. Worker entry: one replay by the specification, on one machine or on several.

import type { ReplayInput } from '../src/contract/input.js';
import type { Machine } from '../src/contract/machine.js';
import type { ReplayResult } from '../src/contract/result.js';
import { answer, type WorkerAnswer } from '../src/replay/worker.js';
import { simulate } from '../src/sim/simulate.js';

interface Task {
  readonly input: ReplayInput;
  readonly otherMachines: readonly Machine[];
}

export default function run({ input, otherMachines }: Task): WorkerAnswer<ReplayResult[]> {
  return answer(() => [input.machine, ...otherMachines].map((machine) => simulate({ ...input, machine })));
}
