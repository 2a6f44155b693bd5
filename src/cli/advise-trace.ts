// Stage: command line -> advice. A trace and the machines of a request: what is needed to try changes on it.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ReplayWork } from '../advise/advice-progress.js';
import { advise, type Advice } from '../advise/advise.js';
import { cacheperfVerdicts } from '../advise/cacheperf-rows.js';
import { changedStructs } from '../advise/changed-structs.js';
import { countCosts, findProblems, type CostFacts } from '../advise/problems.js';
import type { Thresholds } from '../advise/thresholds.js';
import { TrialRunner, type Trying } from '../advise/trial-runner.js';
import type { Machine, Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { closeObjects } from '../profile/object-source.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { allocatorOfRun, findAllocator, otherAllocators } from '../what-if/find-allocator.js';
import { lockFields } from '../advise/lock-fields.js';
import { wideAccesses } from '../advise/wide-accesses.js';
import { isRecord } from '../what-if/layout-change.js';
import { hoppedTypes } from '../views/run-time.js';
import { Trials } from '../what-if/what-if.js';
import { AdviseProgress } from './advise-progress.js';
import { INSTALLATION } from './installation.js';
import type { ReplayRequest } from './machine-options.js';
import { ProgressLine } from './progress.js';
import { replayQuietly } from './replay-trace.js';

export interface AdviseOptions {
  readonly machines: readonly Machine[];
  /** How many of these were asked for: the first ones. */
  readonly asked: number;
  readonly schedules: readonly Schedule[];
  readonly limits: Thresholds;
  readonly top: number;
  /** As in AdviceRequest. */
  readonly leastGain: number;
  /** Cycles of an instruction where nothing misses. */
  readonly cpi: number;
}

export interface Advised {
  readonly trials: Trials;
  readonly advice: Advice;
  /** Changes that were tried. */
  readonly tried: number;
  /** Those that cannot be laid out in the run. */
  readonly refused: number;
  /** References of the excerpts on which they were; null: of the whole run. */
  readonly excerpts: number | null;
}

const HOW_TO_ALLOCATE_BY: Readonly<Record<string, string>> = { glibc: 'leave out the other one' };

/** Slots of an excerpt, and of all excerpts. */
const EXCERPT = 100_000;
const [LEAST_EXCERPTS, MOST_EXCERPTS] = [2_500_000, 10_000_000];
const PART_OF_RUN = 1 / 32;
/** The survey, the excerpts and the replay beside them. */
const LOOKS = 3;

function keptOf(slots: number): number {
  return Math.min(MOST_EXCERPTS, Math.max(LEAST_EXCERPTS, slots * PART_OF_RUN));
}

/** Undefined: the run is so short that changes are tried on all of it. */
export async function excerptsOf(whole: Trials): Promise<Trials | undefined> {
  const { slots } = whole.survey;
  const kept = keptOf(slots);
  if (slots <= 3 * kept) return undefined;
  return whole.excerpts({ kept: EXCERPT, period: Math.floor((EXCERPT * slots) / kept) });
}

export async function adviseTrace(
  trace: OpenedTrace,
  named: string,
  request: ReplayRequest,
  { machines, asked, schedules, limits, top, leastGain, cpi }: AdviseOptions,
): Promise<Advised> {
  const { catalog } = trace;
  const recordTypes = new Map<string, number>();
  for (let type = 1; type < catalog.types.count; type++)
    if (isRecord(catalog, type) && catalog.types.memberCount[type] > 0) recordTypes.set(catalog.types.name[type], type);
  const hopped = new Set<string>();
  const facts: CostFacts = {
    isRecord: (type) => recordTypes.has(type),
    isHopped: (type) => hopped.has(type),
    isLock: lockFields(catalog),
    spans: wideAccesses(catalog, recordTypes),
    cpi,
  };
  const closing = <Value>(profile: Profile, value: Value): Value => {
    closeObjects(profile);
    return value;
  };
  const changes: Trying['changes'] = new Map();
  const progress = new AdviseProgress(named, () => changes.size);
  const line = new ProgressLine((seconds) => progress.describe(seconds));
  const trying: Trying = {
    replay: (of, machine, schedule, workers, onProgress) =>
      replayQuietly(of, machines[machine], schedule, request, workers, onProgress),
    machines: machines.length,
    askedMachines: asked,
    schedules,
    costsOf: (profile) => closing(profile, countCosts(profile, facts)),
    progress,
    changes,
    tried: new Set(),
  };
  let excerpts: Trials | undefined;
  try {
    progress.expect(LOOKS);
    const replayed = new ReplayWork(progress, 1);
    const [trials, asItWas] = await Promise.all([
      Trials.of(trace, join(INSTALLATION, 'bin'), request.engine).then(async (whole) => {
        progress.done(1);
        excerpts = await excerptsOf(whole);
        progress.done(1);
        return whole;
      }),
      trying.replay(trace, 0, schedules[0], availableParallelism(), replayed.upTo),
    ]);
    for (const name of hoppedTypes(asItWas)) hopped.add(name);
    const before = closing(asItWas, findProblems(asItWas, facts, limits));
    const whole = new TrialRunner(trials, trying, before.references, before);
    const kept = keptOf(trials.survey.slots) / Math.max(1, trials.survey.slots);
    const part = excerpts === undefined ? whole : new TrialRunner(excerpts, trying, before.references * kept);
    const advice = await advise({
      before,
      whole,
      part,
      catalog,
      survey: trials.survey,
      recordTypes,
      cacheLines: machines[0].l1.sizeBytes / machines[0].lineBytes,
      top,
      leastGain,
      allocators: otherAllocators(allocatorOfRun(trace.process)).map((name) => ({
        text: `allocate by ${name}: ${HOW_TO_ALLOCATE_BY[name] ?? 'link it, or name its library in LD_PRELOAD'}`,
        request: { allocator: findAllocator(name) },
      })),
      structsOf: ({ request: change }) =>
        changedStructs(catalog, before.rows, trials.relay(change), machines[0].lineBytes),
      progress,
    });
    const verdicts = await cacheperfVerdicts(
      {
        trace: excerpts?.trace ?? trace,
        machine: machines[0],
        engine: request.engine,
        objects: trials.survey.objects,
        recordTypes,
      },
      advice.findings.map(({ problem }) => problem),
    );
    const findings = advice.findings.map((finding, at) => ({ ...finding, cacheperfRule: verdicts[at] }));
    const references = excerpts === undefined ? null : (await part.before()).references;
    const { size } = trying.tried;
    return { advice: { ...advice, findings }, trials, tried: size, refused: changes.size - size, excerpts: references };
  } finally {
    line.stop();
    excerpts?.close();
  }
}
