// Stage: replay. Worker entry: one step of a live trace.

import { DprofError } from '../src/base/dprof-error.js';
import { takeLiveStep, type LiveStep } from '../src/replay/live-steps.js';

export default function run(step: LiveStep): unknown {
  try {
    return { done: takeLiveStep(step) };
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    return { failure: { message, hint, exitCode } };
  }
}
