// Stage: command line. `dprof validate --resample`: the exact profile by the engine asked for, then samples drawn from
// a replay by the specification.

import { DprofError } from '../base/dprof-error.js';
import { resolveMachine } from '../machine/parse-machine.js';
import type { Profile } from '../profile/profile.js';
import type { Machine } from '../contract/machine.js';
import { replayInput } from '../replay/open-trace.js';
import { defaultCores } from '../replay/recorded-cpus.js';
import { runWorker } from '../replay/worker.js';
import { buildDataProfile } from '../views/data-profile.js';
import type { DrawnSamples } from '../hardware/validate/draw-samples.js';
import { compareSamples, type Resampling } from '../hardware/validate/resample.js';
import type { SampledEvents } from '../hardware/validate/samplers.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { withProgress } from './progress.js';
import { openFor, replayTrace } from './replay-trace.js';

export interface ResampleRequest {
  readonly samples: number;
  readonly period?: number;
  readonly skid: number;
  readonly seed: number;
}

export async function resampleTrace(
  paths: readonly string[],
  request: ReplayRequest,
  named: string,
  asked: ResampleRequest,
): Promise<Resampling> {
  const [profile] = await replayTrace(paths, request, named);
  const trace = openFor(paths, request);
  const input = replayInput(trace, resolveMachine(onlyMachine(request), defaultCores(trace)), request.schedule);
  const events = countEvents(profile, input.machine);
  if (events.accesses === 0)
    throw new DprofError(`${named} has no accesses to draw from`, 'record a program that was built with dprof-cc');
  const drawn = await withProgress(`drawing samples of ${named}`, async (progress) => {
    new Float64Array(progress)[1] = profile.totals.references;
    return runWorker<DrawnSamples>('draw-worker', { input: { ...input, progress }, request: { ...asked, events } });
  });
  return compareSamples(buildDataProfile(profile).rows, drawn, { trace: named, seed: asked.seed, skid: asked.skid });
}

/** Loads' latency by the levels that they missed: coherence is left out. */
function countEvents(profile: Profile, machine: Machine): SampledEvents {
  const { accesses, loads } = profile.totals;
  const { rows } = buildDataProfile(profile);
  const misses = (level: 'l1' | 'l2' | 'llc'): number => rows.reduce((sum, row) => sum + row.misses[level].loads, 0);
  const steps = [
    machine.l1.latencyCycles,
    machine.l2.latencyCycles,
    machine.llc.latencyCycles,
    machine.memoryLatencyCycles,
  ];
  const loadLatencyCycles =
    loads * steps[0] +
    (['l1', 'l2', 'llc'] as const).reduce(
      (sum, level, index) => sum + misses(level) * (steps[index + 1] - steps[index]),
      0,
    );
  const latencyCycles = rows.reduce(
    (sum, row) => sum + (row.averageLatencyCycles ?? 0) * (row.references.loads + row.references.stores),
    0,
  );
  return { accesses, loads, latencyCycles, loadLatencyCycles };
}
