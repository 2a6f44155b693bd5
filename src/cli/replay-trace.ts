// Stage: command line. A trace file and the flags to profiles: opens, simulates with the chosen engine, builds;
// progress meanwhile.

import { writeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { nameMachines } from '../machine/machine-names.js';
import { resolveMachine, type MachineRequest } from '../machine/parse-machine.js';
import { buildProfile } from '../profile/profile-builder.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import type { Profile } from '../profile/profile.js';
import { combineTraces } from '../replay/combine-traces.js';
import type { Machine, Schedule } from '../contract/machine.js';
import { readTraces, replayInput, withKernelStores, type OpenedTrace } from '../replay/open-trace.js';
import { coreOfCpus, defaultCores, withRecordedCpus } from '../replay/recorded-cpus.js';
import { replayMachines, replayPart } from '../replay/replay-machines.js';
import type { ReplayResult } from '../contract/result.js';
import { MOST_SHARED_COUNTS } from '../contract/threads-result.js';
import { hasMagic } from './has-magic.js';
import { findKept, keep, placeFor } from './kept-profiles.js';
import type { ReplayRequest } from './machine-options.js';
import { describeWindow, windowOf, type AskedWindow } from './replay-window.js';
import { withProgress } from './progress.js';
import { describeRun } from './run-facts.js';
import { listSchedules, replaySchedules } from './schedules.js';

/** A profile of each machine of the request, in its order; where the request allows it, one that was kept. */
export async function replayTrace(paths: readonly string[], request: ReplayRequest, named: string): Promise<Profile[]> {
  const place = placeFor(paths, request);
  const kept = place && findKept(place);
  if (kept !== undefined) return kept;
  const profiles: Profile[] = [];
  await replayEach(paths, request, (profile, index) => void (profiles[index] = profile), named);
  if (place !== undefined) await keep(profiles, place, paths);
  return profiles;
}

/** `use` gets each profile as soon as it is made, and the machine's place in the request; nothing is kept. */
export function replayEach(
  paths: readonly string[],
  request: ReplayRequest,
  use: (profile: Profile, index: number) => void | Promise<void>,
  named: string,
): Promise<void> {
  return replayOpened(openFor(paths, request), request, use, named);
}

/** With these names. */
export function machinesFor(
  trace: OpenedTrace,
  requests: readonly MachineRequest[],
  names: readonly string[] = nameMachines(requests),
): Machine[] {
  return requests.map((machine, index) => ({ ...resolveMachine(machine, defaultCores(trace)), name: names[index] }));
}

export async function replayOpened(
  trace: OpenedTrace,
  request: ReplayRequest,
  use: (profile: Profile, index: number) => void | Promise<void>,
  named: string,
): Promise<void> {
  const { schedule, schedules, engine, workers, window: asked } = request;
  const machines = machinesFor(trace, request.machines);
  if (engine === 'ts' && workers !== undefined && workers > 1)
    writeSync(2, `dprof: --workers ${workers}: the TypeScript engine runs on one; its numbers are the same\n`);
  if (schedules === undefined) {
    await replayOnMachines<void>(trace, machines, request, named, (profile, index) => use(profile, index));
    return;
  }
  const window = asked && windowOf(trace, asked);
  for (const [index, machine] of machines.entries()) {
    const what = `replaying ${named} ${machines.length === 1 ? '' : `on ${machine.name} `}under ${schedules} schedules`;
    const profile = await withProgress(what, (progress) =>
      replaySchedules(listSchedules(schedule, schedules), workers, progress, async (under, own, onProgress) =>
        profileOf(
          (
            await replayPart(
              replayInput(under === schedule ? trace : { ...trace, sharedVariables: undefined }, machine, under),
              [],
              window,
              { engine, workers: own, onProgress },
            )
          )[0],
          trace,
          machine,
          under,
          asked,
        ),
      ),
    );
    await use(profile, index);
  }
}

/** Under one schedule; nothing is printed meanwhile. */
export async function replayQuietly(
  trace: OpenedTrace,
  machine: Machine,
  schedule: Schedule,
  { engine }: Pick<ReplayRequest, 'engine'>,
  workers: number,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Profile> {
  const options = { engine, workers, onProgress };
  const [result] = await replayPart(replayInput(trace, machine, schedule), [], undefined, options);
  return profileOf(result, trace, machine, schedule, undefined);
}

/** Several traces are of processes that are replayed together. */
export function openFor(
  paths: readonly string[],
  {
    kernelStores,
    sharedVariables,
    map,
    flow,
    mostObjects,
  }: Pick<ReplayRequest, 'kernelStores' | 'sharedVariables' | 'map' | 'flow' | 'mostObjects'>,
): OpenedTrace {
  const profile = paths.find((path) => hasMagic(path, PROFILE_MAGIC));
  if (profile !== undefined)
    throw new DprofError(
      `${profile} is a profile, which was replayed already`,
      'name the trace that it was made of; dprof report shows what is in the profile',
      2,
    );
  const opened = {
    ...combineTraces(readTraces(paths)),
    mostObjects,
    ...(sharedVariables && { sharedVariables: { mostCounts: MOST_SHARED_COUNTS } }),
  };
  const mapped = map === 'cpu' ? withRecordedCpus(opened) : opened;
  return { ...(kernelStores ? withKernelStores(mapped) : mapped), ...(flow && { flow }) };
}

/** What `use` makes of each machine's profile, in order of the machines. */
export function replayOnMachines<Value>(
  trace: OpenedTrace,
  machines: readonly Machine[],
  { schedule, engine, workers, window: asked }: ReplayRequest,
  named: string,
  use: (profile: Profile, index: number, result: ReplayResult) => Value | Promise<Value>,
): Promise<Value[]> {
  const window = asked && windowOf(trace, asked);
  return withProgress(
    `replaying ${named}${machines.length === 1 ? '' : ` on ${machines.length} machines`}`,
    (progress) =>
      replayMachines(trace, machines, { schedule, window, engine, workers, progress }, (result, index) =>
        use(profileOf(result, trace, machines[index], schedule, asked), index, result),
      ),
  );
}

function profileOf(
  result: ReplayResult,
  trace: OpenedTrace,
  machine: Machine,
  schedule: Schedule,
  asked: AskedWindow | undefined,
): Profile {
  const window = asked && describeWindow(asked, result);
  return buildProfile(result, trace.catalog, {
    run: describeRun(trace),
    machine,
    schedule,
    ...(trace.cpus && { cpus: coreOfCpus(trace.cpus, machine.cores) }),
    ...(window && { window }),
    ...(trace.flow && { flow: trace.flow }),
    mostSharedCounts: trace.sharedVariables?.mostCounts,
  });
}
