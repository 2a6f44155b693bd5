// Stage: command line -> advice. A trace and the machines of a request: what is needed to try changes on it.

import { join } from 'node:path';
import { advise, type Advice } from '../advise/advise.js';
import { cacheperfVerdicts } from '../advise/cacheperf-rows.js';
import { findProblems } from '../advise/problems.js';
import type { Thresholds } from '../advise/thresholds.js';
import { TrialRunner } from '../advise/trial-runner.js';
import type { Machine, Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { closeObjects } from '../profile/object-source.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { findAllocator, installedAllocators } from '../what-if/find-allocator.js';
import { isRecord } from '../what-if/layout-change.js';
import { Trials } from '../what-if/what-if.js';
import { INSTALLATION } from './installation.js';
import type { ReplayRequest } from './machine-options.js';
import { ProgressLine } from './progress.js';
import { replayQuietly } from './replay-trace.js';

export interface AdviseOptions {
  readonly machines: readonly Machine[];
  readonly schedules: readonly Schedule[];
  readonly limits: Thresholds;
  readonly top: number;
  /** As in AdviceRequest. */
  readonly leastGain: number;
}

export async function adviseTrace(
  trace: OpenedTrace,
  named: string,
  request: ReplayRequest,
  { machines, schedules, limits, top, leastGain }: AdviseOptions,
): Promise<Advice> {
  const { catalog } = trace;
  const recordTypes = new Map<string, number>();
  for (let type = 1; type < catalog.types.count; type++)
    if (isRecord(catalog, type) && catalog.types.memberCount[type] > 0) recordTypes.set(catalog.types.name[type], type);
  const problemsOf = (profile: Profile): ReturnType<typeof findProblems> => {
    const problems = findProblems(profile, (type) => recordTypes.has(type), limits);
    closeObjects(profile);
    return problems;
  };
  let doing = `looking through ${named}`;
  const line = new ProgressLine((seconds) => `${doing}, ${seconds.toFixed(0)} s`);
  try {
    const trials = await Trials.of(trace, join(INSTALLATION, 'bin'), request.engine);
    const runner = new TrialRunner(
      trials,
      (of, machine, schedule) => replayQuietly(of, machines[machine], schedule, request),
      machines.length,
      schedules,
      problemsOf,
      (what) => void (doing = what),
    );
    const advice = await advise({
      runner,
      catalog,
      survey: trials.survey,
      recordTypes,
      top,
      leastGain,
      allocators: installedAllocators().map((name) => ({
        text: `allocate by ${name}`,
        request: { allocator: findAllocator(name) },
      })),
    });
    doing = "going through the run by CachePerf's rule";
    const verdicts = await cacheperfVerdicts(
      { trace, machine: machines[0], engine: request.engine, objects: trials.survey.objects, recordTypes },
      advice.findings.map(({ problem }) => problem),
    );
    const findings = advice.findings.map((finding, at) => ({ ...finding, cacheperfRule: verdicts[at] }));
    return { ...advice, findings };
  } finally {
    line.stop();
  }
}
