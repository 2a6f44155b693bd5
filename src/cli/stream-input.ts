// Stage: command line. Traces and the flags of a replay -> what a stream of references is made of.

import { writeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from '../contract/input.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { locateWindow } from '../replay/locate-window.js';
import { replayInput } from '../replay/open-trace.js';
import { defaultCores } from '../replay/recorded-cpus.js';
import { replay } from '../replay/replay.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { openFor } from './replay-trace.js';
import { windowOf } from './replay-window.js';

export interface StreamInput {
  readonly input: ReplayInput;
  /** Of the program that was recorded. */
  readonly command: readonly string[];
}

/** Of several traces: the processes that are replayed together. */
export async function streamInput(paths: readonly string[], request: ReplayRequest): Promise<StreamInput> {
  const { schedule, schedules, engine, workers, window: asked } = request;
  if (schedules !== undefined)
    throw new DprofError('--schedules does nothing here: rows are in one order', 'name it: --schedule random:1', 2);
  const trace = openFor(paths, request);
  if (trace.truncated)
    writeSync(2, 'dprof: the trace has no end: rows are of what it has, up to its last whole chunk\n');
  if (trace.damaged)
    writeSync(2, 'dprof: the trace is damaged: rows are of what could be read (dprof report says how much)\n');
  const input = replayInput(trace, resolveMachine(onlyMachine(request), defaultCores(trace)), schedule);
  const { command } = trace.process;
  if (asked === undefined) return { input, command };
  const run = (first: ReplayInput) => replay(first, { engine, workers });
  return { input: { ...input, window: await locateWindow(input, windowOf(trace, asked), run) }, command };
}
