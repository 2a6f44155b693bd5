// Stage: trace -> advice. Problems of a run, and for each the change that brings most: tried on the run, on several
// machines and under several schedules. What nothing helps is left out, or told as advice.

import type { Catalog } from '../contract/catalog.js';
import type { LevelName } from '../contract/machine.js';
import { ObjectKind } from '../sim/sim-object.js';
import { typeOf } from '../what-if/place-objects.js';
import type { Survey } from '../what-if/survey-columns.js';
import { arrayCandidates, arrayName } from './array-candidates.js';
import { candidateKey, optionsOf, together, type Candidate } from './candidate.js';
import type { CacheperfVerdict } from './cacheperf-verdict.js';
import { adviceFor } from './plain-advice.js';
import { problemKey, type Problem } from './problem.js';
import type { Problems } from './problems.js';
import { structCandidates } from './struct-candidates.js';
import type { Tried, TrialRunner } from './trial-runner.js';

export interface AdviceRequest {
  readonly runner: TrialRunner;
  readonly catalog: Catalog;
  readonly survey: Survey;
  /** Structs, unions and classes with fields, by name. */
  readonly recordTypes: ReadonlyMap<string, number>;
  /** The most findings. */
  readonly top: number;
  /** Of the run, an instruction a cycle and all estimated cycles: a change that brings less is none. */
  readonly leastGain: number;
  /** Heap blocks by these, to tell who makes a problem. */
  readonly allocators: readonly Candidate[];
}

export interface Prediction {
  /** `low`, `high`: of `after`, under all schedules. */
  readonly cycles: { readonly before: number; readonly after: number; readonly low: number; readonly high: number };
  /** After : before, of the same schedule each. */
  readonly ratio: { readonly low: number; readonly high: number };
  readonly misses: Readonly<Record<LevelName, { readonly before: number; readonly after: number }>>;
  /** Estimated cycles on each machine, the first one included, under the first schedule. */
  readonly machines: readonly { readonly before: number; readonly after: number }[];
}

export interface Change {
  readonly text: string;
  /** Given to dprof what-if, they repeat the prediction. */
  readonly options: readonly string[];
  /** Of structs and classes that are laid out anew, those that hold one included. */
  readonly sizes: readonly {
    readonly type: string;
    readonly bytesBefore: number;
    readonly bytesAfter: number;
    readonly coldBytes: number;
  }[];
  readonly predicted: Prediction;
}

export interface Finding {
  readonly problem: Problem;
  /** Other problems that the same change takes away. */
  readonly others: readonly Problem[];
  /** Whether another allocator, or blocks with lines of their own, would take at least half of it away. */
  readonly origin: 'application' | 'allocator';
  /** Added once the findings are known. */
  readonly cacheperfRule?: CacheperfVerdict;
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

/** Of estimated cycles: less is none. */
const HARM = 0.001;
/** A change that is tried behind others must bring so much more, of all estimated cycles. */
const WORTH_MORE = 0.02;
/** Misses that cost less than this part of a cycle for each instruction are nothing serious. */
const LEAST_OF_RUN = 0.01;
/** Of what a problem costs in the whole run, for its part in the beginning to tell what helps. */
const LEAST_PART = 0.25;
const MOST_TRIED_EVERYWHERE = 2;
/** A finding that no change was found for brings this part of its cost, as far as their order goes. */
const UNTRIED = 0.25;

export async function advise(request: AdviceRequest): Promise<Advice> {
  const { runner, top } = request;
  const before = await runner.before();
  const isCheap = before.cycles < LEAST_OF_RUN * before.instructions;
  const serious = isCheap ? [] : before.found.slice(0, top * 2);
  const candidates = serious.map((problem) => candidatesFor(problem, serious, request));
  const first = await runner.tryOnBeginning(distinct(candidates.flat()));
  const findings: Finding[] = [];
  const left = isCheap ? [...before.found, ...before.left] : [...before.found.slice(top * 2), ...before.left];
  const covered = new Set<Problem>();
  for (const [index, problem] of serious.entries()) {
    if (covered.has(problem)) continue;
    const own = candidates[index];
    const tried = isThere(problem, first.before, before) ? first : await runner.tryOnWhole(own);
    const best = await firstThatHolds(ranked(own, tried, problem, request), request);
    const rest = best ? serious.filter((one) => one !== problem) : [];
    const others = rest.filter((one) => isTaken(one, before, best!.after));
    for (const one of rest) if (others.includes(one) || isTouched(one, problem, best!.change)) covered.add(one);
    const advice = best ? null : adviceFor(problem, before, objectsOf(problem, request));
    const change = best?.change ?? null;
    if (change || advice !== null) findings.push({ problem, others, origin: 'application', advice, change });
    else left.push(problem);
  }
  const kept = findings.filter(({ problem, change }) => change !== null || !covered.has(problem));
  kept.sort((a, b) => bringOf(b) - bringOf(a));
  left.push(...kept.slice(top).map(({ problem }) => problem));
  const shown = kept.slice(0, top);
  return {
    findings: await withOrigins(shown, request),
    all: await allTogether(shown, request),
    left: left.sort((a, b) => b.cycles - a.cycles),
    before,
    tried: runner.tried,
  };
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidateKey(candidate), candidate])).values()];
}

/** An instruction a cycle, and what misses cost. */
function runOf({ cycles, instructions }: Problems): number {
  return cycles + instructions;
}

/** Whether the beginning of the run has its part of the problem. */
function isThere(problem: Problem, beginning: Problems, whole: Problems): boolean {
  const part = beginning.references / whole.references;
  return costOf(problem, beginning) >= problem.cycles * part * LEAST_PART;
}

function candidatesFor(problem: Problem, serious: readonly Problem[], request: AdviceRequest): Candidate[] {
  const type = request.recordTypes.get(problem.type);
  if (type !== undefined) return structCandidates(request.catalog, request.survey, type, problem);
  const alike = serious.filter((other) => !other.isRecord && other.class === problem.class);
  return arrayCandidates(request.catalog, request.survey, problem, alike);
}

/** Heap objects of the struct. */
function objectsOf({ type }: Problem, { recordTypes, survey: { objects } }: AdviceRequest): number {
  const number = recordTypes.get(type);
  let count = 0;
  for (let object = 0; number !== undefined && object < objects.count; object++)
    if (objects.kind[object] === ObjectKind.heap && typeOf(objects, object) === number) count++;
  return count;
}

function bringOf({ problem, change }: Finding): number {
  return change === null ? problem.cycles * UNTRIED : change.predicted.cycles.before - change.predicted.cycles.after;
}

/** Those that help, best first; of much the same, the one that stands before: these are simple. */
function ranked(
  candidates: readonly Candidate[],
  { before, trials }: Tried,
  problem: Problem,
  { leastGain }: AdviceRequest,
): Candidate[] {
  const helping = candidates.flatMap((candidate, place) => {
    const trial = trials.get(candidateKey(candidate));
    if (trial === undefined) return [];
    const gain = before.cycles - trial.cycles;
    const isWorse = costOf(problem, trial) > costOf(problem, before);
    return isWorse || gain < leastGain * runOf(before) ? [] : [{ candidate, place, gain }];
  });
  const step = WORTH_MORE * before.cycles;
  helping.sort((a, b) => Math.round(b.gain / step) - Math.round(a.gain / step) || a.place - b.place);
  return helping.map(({ candidate }) => candidate);
}

interface Holding {
  readonly change: Change;
  /** On the first machine. */
  readonly after: Problems;
}

/** Of the best few. */
async function firstThatHolds(candidates: readonly Candidate[], request: AdviceRequest): Promise<Holding | null> {
  for (const candidate of candidates.slice(0, MOST_TRIED_EVERYWHERE)) {
    const holding = await predict(candidate, request);
    if (holding !== null) return holding;
  }
  return null;
}

/** Cycles of the same problem in another replay. */
function costOf(problem: Problem, { costs }: Problems): number {
  return costs.get(problemKey(problem)) ?? 0;
}

/** One change of a subject is told, not one for each class of its misses. */
function isTouched(problem: Problem, by: Problem, { options }: Change): boolean {
  const isSame = problem.type === by.type && problem.name === by.name && problem.allocatedAt === by.allocatedAt;
  const name = problem.isRecord ? problem.type : arrayName(problem);
  return isSame || (name !== null && options.some((word) => word.split(/[=/,:]/).includes(name)));
}

/** At least half of it is gone. */
function isTaken(problem: Problem, before: Problems, after: Problems): boolean {
  return costOf(problem, after) * 2 <= costOf(problem, before);
}

/** Null: somewhere it does harm, or it brings nothing on the first machine. */
async function predict(candidate: Candidate, { runner, leastGain }: AdviceRequest): Promise<Holding | null> {
  const tried = await runner.tryEverywhere(candidate);
  if (tried === null) return null;
  const { counted, facts } = tried;
  const machines: { before: number; after: number }[] = [];
  const ratios: number[] = [];
  for (const [machine, schedules] of counted.entries())
    for (const [schedule, { cycles }] of schedules.entries()) {
      const was = (await runner.before(machine, schedule)).cycles;
      if (cycles > was * (1 + HARM)) return null;
      if (schedule === 0) machines.push({ before: was, after: cycles });
      if (machine === 0) ratios.push(cycles / Math.max(1, was));
    }
  const [before, [[after]]] = [await runner.before(), counted];
  const cycles = counted[0].map((one) => one.cycles);
  const counts = (level: LevelName): { before: number; after: number } => ({
    before: before.misses[level],
    after: after.misses[level],
  });
  const predicted = {
    cycles: { before: before.cycles, after: after.cycles, low: Math.min(...cycles), high: Math.max(...cycles) },
    ratio: { low: Math.min(...ratios), high: Math.max(...ratios) },
    misses: { l1: counts('l1'), l2: counts('l2'), llc: counts('llc') },
    machines,
  };
  if (before.cycles - after.cycles < leastGain * runOf(before)) return null;
  const sizes = facts.types.map((type) => ({
    ...type,
    coldBytes: facts.parts.find((part) => part.type === type.type)?.coldBytes ?? 0,
  }));
  return { change: { text: candidate.text, options: optionsOf(candidate), sizes, predicted }, after };
}

/** Greedily: the best one, and of the others each that makes it better. */
async function allTogether(findings: readonly Finding[], request: AdviceRequest): Promise<Change | null> {
  const changes = findings.flatMap(({ change }) => (change === null ? [] : [change]));
  let all: Change | null = null;
  for (const change of changes.slice(1)) {
    const best: Change = all ?? changes[0];
    const both = together([best, change]);
    const made = (await predict(both, request))?.change;
    if (made && made.predicted.cycles.after < best.predicted.cycles.after) all = made;
  }
  return all;
}

/** A problem that another allocator takes away is the allocator's. */
async function withOrigins(findings: readonly Finding[], { runner, allocators }: AdviceRequest): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const { before, trials } = await runner.tryOnBeginning(allocators);
  const isOfAllocator = (problem: Problem): boolean =>
    [...trials.values()].some((after) => isTaken(problem, before, after));
  return findings.map((finding) => ({
    ...finding,
    origin: costOf(finding.problem, before) > 0 && isOfAllocator(finding.problem) ? 'allocator' : 'application',
  }));
}
