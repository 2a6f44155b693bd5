// Stage: validation. Worker entry: samples drawn from one replay.

import type { ReplayInput } from '../src/contract/input.js';
import { drawSamples, type DrawnSamples, type DrawRequest } from '../src/hardware/validate/draw-samples.js';
import { answer, type WorkerAnswer } from '../src/replay/worker.js';

export default function run({
  input,
  request,
}: {
  readonly input: ReplayInput;
  readonly request: DrawRequest;
}): WorkerAnswer<DrawnSamples> {
  return answer(() => drawSamples(input, request));
}
