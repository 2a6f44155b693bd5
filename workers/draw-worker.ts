// Stage: validation. Worker entry: samples drawn from one replay.

import { DprofError } from '../src/base/dprof-error.js';
import type { ReplayInput } from '../src/contract/input.js';
import { drawSamples, type DrawAnswer, type DrawRequest } from '../src/hardware/validate/draw-samples.js';

export default function run({
  input,
  request,
}: {
  readonly input: ReplayInput;
  readonly request: DrawRequest;
}): DrawAnswer {
  try {
    return { drawn: drawSamples(input, request) };
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    return { failure: { message, hint, exitCode } };
  }
}
