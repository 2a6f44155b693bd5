// Stage: trace -> advice. Problems of a run, and for each the change that brings most: tried on the run, on several
// machines and under several schedules. What nothing helps is left out, or told as advice.

import type { Catalog } from '../contract/catalog.js';
import type { LevelName } from '../contract/machine.js';
import type { Survey } from '../what-if/survey-columns.js';
import { arrayCandidates } from './array-candidates.js';
import { optionsOf, together, type Candidate } from './candidate.js';
import { adviceFor } from './plain-advice.js';
import { problemKey, type Problem } from './problem.js';
import type { Problems } from './problems.js';
import { structCandidates } from './struct-candidates.js';
import type { Trial, TrialRunner } from './trial-runner.js';

export interface AdviceRequest {
  readonly runner: TrialRunner;
  readonly catalog: Catalog;
  readonly survey: Survey;
  /** Structs, unions and classes with fields, by name. */
  readonly recordTypes: ReadonlyMap<string, number>;
  /** The most findings. */
  readonly top: number;
  /** Heap blocks by these, to tell who makes a problem. */
  readonly allocators: readonly Candidate[];
}

export interface Prediction {
  /** `low`, `high`: of `after`, under all schedules. */
  readonly cycles: { readonly before: number; readonly after: number; readonly low: number; readonly high: number };
  readonly misses: Readonly<Record<LevelName, { readonly before: number; readonly after: number }>>;
}

export interface Change {
  readonly text: string;
  /** Given to dprof what-if, they repeat the prediction. */
  readonly options: readonly string[];
  readonly predicted: Prediction;
}

export interface Finding {
  readonly problem: Problem;
  /** Other problems that the same change takes away. */
  readonly others: readonly Problem[];
  /** Whether another allocator, or blocks with lines of their own, would take at least half of it away. */
  readonly origin: 'application' | 'allocator';
  /** What else a person could do, if no change that was tried is good enough. */
  readonly advice: string | null;
  readonly change: Change | null;
}

export interface Advice {
  readonly findings: readonly Finding[];
  /** All changes together, if there are several that help more than the best alone. */
  readonly all: Change | null;
  /** Costliest first. */
  readonly left: readonly Problem[];
  readonly before: Problems;
  readonly tried: number;
}

/** Of all estimated cycles: a change that brings less is none. */
const LEAST_GAIN = 0.01;
/** A change that is tried behind others must bring so much more, of all estimated cycles. */
const WORTH_MORE = 0.02;
/** Misses that cost less than this part of a cycle for each instruction are nothing serious. */
const LEAST_OF_RUN = 0.01;
/** A finding that no change was found for brings this part of its cost, as far as their order goes. */
const UNTRIED = 0.25;

export async function advise(request: AdviceRequest): Promise<Advice> {
  const { runner, top } = request;
  const before = await runner.before();
  const isCheap = before.cycles < LEAST_OF_RUN * before.instructions;
  const serious = isCheap ? [] : before.found.slice(0, top * 2);
  const candidates = serious.map((problem) => candidatesFor(problem, serious, request));
  const distinct = new Map(candidates.flat().map((candidate) => [optionsOf(candidate).join(' '), candidate]));
  const tried = await runner.tryAll([...distinct.values()]);
  const findings: Finding[] = [];
  const left = isCheap ? [...before.found, ...before.left] : [...before.found.slice(top * 2), ...before.left];
  const covered = new Set<Problem>();
  for (const [index, problem] of serious.entries()) {
    if (covered.has(problem)) continue;
    const own = candidates[index].flatMap((candidate) => tried.get(optionsOf(candidate).join(' ')) ?? []);
    const best = bestOf(own, problem, before);
    const change = best && (await predict(best.candidate, runner));
    const others = best && change ? serious.filter((one) => one !== problem && isTaken(one, best.problems)) : [];
    for (const other of others) covered.add(other);
    const advice = change ? null : adviceFor(problem, before);
    if (change || advice !== null) findings.push({ problem, others, origin: 'application', advice, change });
    else left.push(problem);
  }
  const kept = findings.filter(({ problem, change }) => change !== null || !covered.has(problem));
  kept.sort((a, b) => bringOf(b) - bringOf(a));
  left.push(...kept.slice(top).map(({ problem }) => problem));
  const shown = kept.slice(0, top);
  return {
    findings: await withOrigins(shown, request),
    all: await allTogether(shown, runner),
    left: left.sort((a, b) => b.cycles - a.cycles),
    before,
    tried: runner.tried,
  };
}

function candidatesFor(problem: Problem, serious: readonly Problem[], request: AdviceRequest): Candidate[] {
  const type = request.recordTypes.get(problem.type);
  if (type !== undefined) return structCandidates(request.catalog, type, problem);
  const alike = serious.filter((other) => !other.isRecord && other.class === problem.class);
  return arrayCandidates(request.catalog, request.survey, problem, alike);
}

function bringOf({ problem, change }: Finding): number {
  return change === null ? problem.cycles * UNTRIED : change.predicted.cycles.before - change.predicted.cycles.after;
}

/** The one after which least is left of the run's cycles; of much the same, the first: simple ones stand before. */
function bestOf(trials: readonly Trial[], problem: Problem, before: Problems): Trial | null {
  let best: Trial | null = null;
  for (const trial of trials) {
    const gain = before.cycles - trial.problems.cycles;
    if (gain < LEAST_GAIN * before.cycles || costOf(problem, trial.problems) > problem.cycles) continue;
    const most = best === null ? Number.NEGATIVE_INFINITY : before.cycles - best.problems.cycles;
    if (gain > most + WORTH_MORE * before.cycles) best = trial;
  }
  return best;
}

/** Cycles of the same problem in another replay. */
function costOf(problem: Problem, { found, left }: Problems): number {
  const key = problemKey(problem);
  return [...found, ...left].find((other) => problemKey(other) === key)?.cycles ?? 0;
}

function isTaken(problem: Problem, after: Problems): boolean {
  return costOf(problem, after) * 2 <= problem.cycles;
}

/** Null: somewhere it brings nothing. */
async function predict(candidate: Candidate, runner: TrialRunner): Promise<Change | null> {
  const counted = await runner.tryEverywhere(candidate);
  if (counted === null) return null;
  for (const [machine, schedules] of counted.entries())
    for (const [schedule, after] of schedules.entries())
      if (after.cycles >= (await runner.before(machine, schedule)).cycles) return null;
  const [before, [[after]]] = [await runner.before(), counted];
  const cycles = counted[0].map((one) => one.cycles);
  const counts = (level: LevelName): { before: number; after: number } => ({
    before: before.misses[level],
    after: after.misses[level],
  });
  return {
    text: candidate.text,
    options: optionsOf(candidate),
    predicted: {
      cycles: { before: before.cycles, after: after.cycles, low: Math.min(...cycles), high: Math.max(...cycles) },
      misses: { l1: counts('l1'), l2: counts('l2'), llc: counts('llc') },
    },
  };
}

/** Greedily: the best one, and of the others each that makes it better. */
async function allTogether(findings: readonly Finding[], runner: TrialRunner): Promise<Change | null> {
  const changes = findings.flatMap(({ change }) => (change === null ? [] : [change]));
  let all: Change | null = null;
  for (const change of changes.slice(1)) {
    const best: Change = all ?? changes[0];
    const both = together([best, change]);
    const made = await predict(both, runner);
    if (made !== null && made.predicted.cycles.after < best.predicted.cycles.after) all = made;
  }
  return all;
}

/** A problem that another allocator takes away is the allocator's. */
async function withOrigins(findings: readonly Finding[], { runner, allocators }: AdviceRequest): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const tried = [...(await runner.tryAll(allocators)).values()];
  return findings.map((finding) => ({
    ...finding,
    origin: tried.some(({ problems }) => isTaken(finding.problem, problems)) ? 'allocator' : 'application',
  }));
}
