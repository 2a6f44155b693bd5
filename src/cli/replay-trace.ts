// Stage: command line. A trace file and the flags to a profile: opens, simulates with the chosen engine, builds; progress meanwhile.

import { writeSync } from 'node:fs';
import { resolveMachine } from '../machine/parse-machine.js';
import { buildProfile } from '../profile/profile-builder.js';
import type { Profile } from '../profile/profile.js';
import type { Schedule } from '../replay/machine.js';
import { openTrace, replayInput, withKernelStores } from '../replay/open-trace.js';
import { replay, type ReplayOptions } from '../replay/replay.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { withProgress } from './progress.js';
import { describeRun } from './run-facts.js';
import { listSchedules, replaySchedules } from './schedules.js';

export async function replayTrace(path: string, request: ReplayRequest, named = path): Promise<Profile> {
  const { schedule, schedules, engine, workers, kernelStores } = request;
  const opened = openTrace(path);
  const trace = kernelStores ? withKernelStores(opened) : opened;
  const simulated = resolveMachine(onlyMachine(request), trace.threads.length);
  if (engine === 'ts' && workers !== undefined && workers > 1) writeSync(2, `dprof: --workers ${workers}: the TypeScript engine runs on one; its numbers are the same\n`);
  const profileUnder = async (under: Schedule, options: Omit<ReplayOptions, 'engine'>, progress?: SharedArrayBuffer): Promise<Profile> => {
    const result = await replay(replayInput(trace, simulated, under, progress), { engine, ...options });
    return buildProfile(result, trace.catalog, { run: describeRun(trace), machine: simulated, schedule: under });
  };
  if (schedules === undefined) return withProgress(`replaying ${named}`, (progress) => profileUnder(schedule, { workers }, progress));
  return withProgress(`replaying ${named} under ${schedules} schedules`, (progress) =>
    replaySchedules(listSchedules(schedule, schedules), workers, progress, (under, share, onProgress) => profileUnder(under, { workers: share, onProgress })),
  );
}
