// Stage: trace -> advice. Problems of a run, and for each the change that brings most: tried on the run or, if that is
// long, on excerpts of it, on several machines and under several schedules; what is told is predicted of the whole run.
// What nothing helps is left out, or told as advice.

import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { typeOf } from '../what-if/place-objects.js';
import type { Survey } from '../what-if/survey-columns.js';
import { arrayCandidates, arrayName, walkOf } from './array-candidates.js';
import type { CacheperfVerdict } from './cacheperf-verdict.js';
import { candidateKey, together, type Candidate } from './candidate.js';
import type { ChangedStruct } from './changed-structs.js';
import { adviceFor, type AdviceFacts } from './plain-advice.js';
import { changesLoops, loopCandidates } from './loop-candidates.js';
import { gainOf, predict, predictWhole, runOf, type Change, type Holding, type Predicted } from './prediction.js';
import { problemKey, type Problem } from './problem.js';
import type { Costs, Problems } from './problems.js';
import { structCandidates } from './struct-candidates.js';
import type { Tried, TrialRunner } from './trial-runner.js';

export interface AdviceRequest {
  /** Of the run as it was. */
  readonly before: Problems;
  /** Of the whole run. */
  readonly whole: TrialRunner;
  /** Of excerpts of a long run; else of the whole. */
  readonly part: TrialRunner;
  readonly catalog: Catalog;
  readonly survey: Survey;
  /** Structs, unions and classes with fields, by name. */
  readonly recordTypes: ReadonlyMap<string, number>;
  /** Of the first machine's L1. */
  readonly cacheLines: number;
  /** The most findings. */
  readonly top: number;
  /** Of the run, an instruction a cycle and all estimated cycles: a change that brings less is none. */
  readonly leastGain: number;
  /** Heap blocks by these, to tell who makes a problem. */
  readonly allocators: readonly Candidate[];
  /** What a change lays out anew. */
  readonly structsOf: (candidate: Candidate) => ChangedStruct[];
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
}

/** A change that is tried behind others must bring so much more, of all estimated cycles. */
const WORTH_MORE = 0.02;
/** Other loops, which a compiler may turn into worse code, must save this part of the run time. */
const WORTH_LOOPS = 0.1;
/** Misses that cost less than this part of a cycle for each instruction are nothing serious. */
const LEAST_OF_RUN = 0.01;
/** A change to a type brings at most so much of what all misses of the type cost: others have more room, too. */
const MOST_OF_TYPE = 2;
/** Of what a problem costs in the whole run, for its part in excerpts to tell what helps. */
const LEAST_PART = 0.25;
const MOST_TRIED_EVERYWHERE = 2;
/** A finding that no change was found for brings this part of its cost, as far as their order goes. */
const UNTRIED = 0.25;

/** What a finding is, before its origin and its change are known of the whole run. */
interface Found {
  readonly problem: Problem;
  readonly others: readonly Problem[];
  readonly advice: string | null;
  readonly best: Holding | null;
}

export async function advise(request: AdviceRequest): Promise<Advice> {
  const { before, whole, top, leastGain } = request;
  const isCheap = before.cycles < LEAST_OF_RUN * before.instructions || before.cycles < leastGain * runOf(before);
  const serious = isCheap ? [] : before.found.slice(0, top * 2);
  const layouts = serious.length === 0 ? [] : await findChanges(serious, request);
  const preloaded = isCheap || layouts.some(({ best }) => best !== null) ? null : await allocatorChange(request);
  const found = preloaded ? [...layouts.filter((one) => one.problem !== preloaded.problem), preloaded] : layouts;
  const shown = found.sort((a, b) => bringOf(b) - bringOf(a)).slice(0, top);
  const all = await allTogether(shown, request);
  const told = [...shown.map(({ best }) => best), all].filter((best) => best !== null);
  const [origins] = await Promise.all([originsOf(shown, request), isWhole(request) ? null : tryWhole(told, whole)]);
  const predicted = async (best: Holding): Promise<Change | null> => {
    const change = isWhole(request) ? best.change : await predictWhole(best, whole, leastGain);
    if (change !== null && !isWorthCode(best.candidate, change.predicted.runTime)) return null;
    return change && { ...change, structs: request.structsOf(best.candidate) };
  };
  const findings: Finding[] = [];
  for (const [index, { best, ...finding }] of shown.entries()) {
    const change = best && (await predicted(best));
    if (change !== null || best === null) findings.push({ ...finding, change, origin: origins[index] });
  }
  findings.sort((a, b) => toldOf(b) - toldOf(a));
  const isTold = (problem: Problem): boolean =>
    findings.some(
      (one) =>
        one.problem === problem ||
        one.others.includes(problem) ||
        (one.change !== null && isTouched(problem, one.problem, one.change)),
    );
  const left = [...before.found, ...before.left].filter((problem) => !isTold(problem));
  left.sort((a, b) => b.cycles - a.cycles);
  const both = all && (await predicted(all));
  const alone = findings.flatMap(({ change }) => (change === null ? [] : [gainOf(change.predicted)]));
  const isBetter = both !== null && gainOf(both.predicted) > Math.max(0, ...alone);
  return { findings, all: isBetter ? both : null, left, before };
}

/** What holds on excerpts, on the whole run; beside it the run as it was on the other machines. */
async function tryWhole(told: readonly Holding[], whole: TrialRunner): Promise<void> {
  if (told.length === 0) return;
  const others = Array.from({ length: whole.machines - 1 }, (_, index) => whole.before(index + 1, 0, 1));
  const changes = told.map(({ candidate }) => candidate);
  await Promise.all([...others, whole.tryAll(changes, whole.machines)]);
}

function isWhole({ whole, part }: AdviceRequest): boolean {
  return whole === part;
}

/** Of each problem that is no part of another one's change: the best change, or words. */
async function findChanges(serious: readonly Problem[], request: AdviceRequest): Promise<Found[]> {
  const { before, whole, part, catalog, survey, cacheLines, leastGain } = request;
  const candidates = serious.map((problem) =>
    mayBring(problem, request) ? candidatesFor(problem, serious, request) : [],
  );
  const first = await part.tryAll(distinct(candidates.flat()));
  const found: Found[] = [];
  const covered = new Set<Problem>();
  for (const [index, problem] of serious.entries()) {
    if (covered.has(problem)) continue;
    const runner = isThere(problem, first.before, before) ? part : whole;
    const tried = runner === part || candidates[index].length === 0 ? first : await runner.tryAll(candidates[index]);
    const best = await bestOf(candidates[index], tried, problem, runner, leastGain);
    const others = best ? serious.filter((one) => one !== problem && isTaken(one, tried.before, best.after)) : [];
    if (best)
      for (const one of serious)
        if (others.includes(one) || (one !== problem && isTouched(one, problem, best.change))) covered.add(one);
    const advice =
      best || problem.cycles < leastGain * runOf(before)
        ? null
        : adviceFor(problem, before, {
            objects: objectsOf(problem, request),
            walk: walkOf(catalog, survey, problem, cacheLines),
            exchange: exchangeOf(loopCandidates(catalog, problem), tried, leastGain),
          });
    if (best || advice !== null) found.push({ problem, others, advice, best });
  }
  return found.filter(({ problem, best }) => best !== null || !covered.has(problem));
}

/** Whether all misses of the type cost so much that a change to it can be worth trying. */
function mayBring({ type }: Problem, { before, leastGain }: AdviceRequest): boolean {
  const ofType = [...before.found, ...before.left].filter((one) => one.type === type);
  const cycles = ofType.reduce((sum, one) => sum + one.cycles, 0);
  return MOST_OF_TYPE * cycles >= leastGain * runOf(before);
}

/** If no layout helps, another allocator may: told of the problem that it takes most of. */
async function allocatorChange(request: AdviceRequest): Promise<Found | null> {
  const { before: all, part, allocators, leastGain } = request;
  const real = allocators.filter(({ request: { allocator } }) => allocator?.library !== undefined);
  const { before, trials } = await part.tryAll(real);
  const gainBy = (one: Candidate): number => before.cycles - (trials.get(candidateKey(one))?.cycles ?? before.cycles);
  const helping = real.filter((one) => gainBy(one) >= leastGain * runOf(before));
  const best = await firstThatHolds(
    helping.sort((a, b) => gainBy(b) - gainBy(a)),
    part,
    leastGain,
  );
  if (best === null) return null;
  const taken = (problem: Problem): number => costOf(problem, before) - costOf(problem, best.after);
  const [problem] = [...all.found, ...all.left].sort((a, b) => taken(b) - taken(a));
  const others = all.found.filter((one) => one !== problem && isTaken(one, before, best.after));
  return { problem, others, advice: null, best };
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidateKey(candidate), candidate])).values()];
}

/** Whether the part of the run has its part of the problem. */
function isThere(problem: Problem, part: Costs, whole: Costs): boolean {
  return likeIn(problem, part) >= likeIn(problem, whole) * (part.references / whole.references) * LEAST_PART;
}

/** In excerpts the cache did not hold the line before: what is too much for it there is a first touch as often as not. */
function likeIn(problem: Problem, costs: Costs): number {
  const alike = problem.class === 'compulsory' ? 'capacity' : problem.class === 'capacity' ? 'compulsory' : null;
  return costOf(problem, costs) + (alike === null ? 0 : costOf({ ...problem, class: alike }, costs));
}

function candidatesFor(problem: Problem, serious: readonly Problem[], request: AdviceRequest): Candidate[] {
  const { catalog, survey, recordTypes } = request;
  const type = recordTypes.get(problem.type);
  const alike = serious.filter((other) => !other.isRecord && other.class === problem.class);
  const layouts =
    type === undefined
      ? arrayCandidates(catalog, survey, problem, alike)
      : structCandidates(catalog, survey, type, problem);
  return [...layouts, ...loopCandidates(catalog, problem)];
}

/** Heap objects of the struct. */
function objectsOf({ type }: Problem, { recordTypes, survey: { objects } }: AdviceRequest): number {
  const number = recordTypes.get(type);
  let count = 0;
  for (let object = 0; number !== undefined && object < objects.count; object++)
    if (objects.kind[object] === ObjectKind.heap && typeOf(objects, object) === number) count++;
  return count;
}

/** Of the estimated cycles of the run. */
function bringOf({ problem, best }: Found): number {
  if (best === null) return problem.cyclesShare * UNTRIED;
  const { predicted } = best.change;
  return gainOf(predicted) / Math.max(1, predicted.cycles.before);
}

function toldOf({ problem, change }: Finding): number {
  return change === null ? problem.cycles * UNTRIED : gainOf(change.predicted);
}

/** What is known of these, none of which is worth it. */
function exchangeOf(
  loops: readonly Candidate[],
  { before, trials }: Tried,
  leastGain: number,
): AdviceFacts['exchange'] {
  const gains = loops.flatMap((one) => {
    const trial = trials.get(candidateKey(one));
    return trial === undefined ? [] : [before.cycles - trial.cycles];
  });
  if (gains.length === 0) return 'untried';
  return Math.max(...gains) < leastGain * runOf(before) ? 'nothing' : 'little';
}

function isWorthCode(candidate: Candidate, { before, after }: Predicted['predicted']['runTime']): boolean {
  return !changesLoops(candidate) || after <= (1 - WORTH_LOOPS) * before;
}

/** Those that help, best first; of much the same, the one that stands before: these are simple. */
function ranked(
  candidates: readonly Candidate[],
  { before, trials }: Tried,
  problem: Problem,
  leastGain: number,
): Candidate[] {
  const helping = candidates.flatMap((candidate, place) => {
    const trial = trials.get(candidateKey(candidate));
    if (trial === undefined) return [];
    const gain = before.cycles - trial.cycles;
    const isWorse = costOf(problem, trial) > costOf(problem, before);
    const isSlow = !isWorthCode(candidate, { before: before.runCycles, after: trial.runCycles });
    return isWorse || isSlow || gain < leastGain * runOf(before) ? [] : [{ candidate, place, gain }];
  });
  const step = WORTH_MORE * before.cycles;
  helping.sort((a, b) => Math.round(b.gain / step) - Math.round(a.gain / step) || a.place - b.place);
  return helping.map(({ candidate }) => candidate);
}

/** What lies in one set is laid out anew rather than gone through in another order: that is the smaller change. */
async function bestOf(
  candidates: readonly Candidate[],
  tried: Tried,
  problem: Problem,
  runner: TrialRunner,
  leastGain: number,
): Promise<Holding | null> {
  const best = (some: readonly Candidate[]): Promise<Holding | null> =>
    firstThatHolds(ranked(some, tried, problem, leastGain), runner, leastGain);
  if (problem.class !== 'conflict') return best(candidates);
  const layouts = candidates.filter((one) => !changesLoops(one));
  return (await best(layouts)) ?? best(candidates.filter(changesLoops));
}

/** Of the best few. */
async function firstThatHolds(
  candidates: readonly Candidate[],
  runner: TrialRunner,
  leastGain: number,
): Promise<Holding | null> {
  for (const candidate of candidates.slice(0, MOST_TRIED_EVERYWHERE)) {
    const holding = await predict(candidate, runner, leastGain);
    if (holding !== null) return holding;
  }
  return null;
}

/** Cycles of the same problem in another replay. */
function costOf(problem: Problem, { costs }: Costs): number {
  return costs.get(problemKey(problem)) ?? 0;
}

/** One change of a subject is told, not one for each class of its misses. */
function isTouched(problem: Problem, by: Problem, { options }: Predicted): boolean {
  const isSame = problem.type === by.type && problem.name === by.name && problem.allocatedAt === by.allocatedAt;
  const name = problem.isRecord ? problem.type : arrayName(problem);
  return isSame || (name !== null && options.some((word) => word.split(/[=/,:]/).includes(name)));
}

/** At least half of it is gone. */
function isTaken(problem: Problem, before: Costs, after: Costs): boolean {
  return costOf(problem, after) * 2 <= costOf(problem, before);
}

/** Greedily: the best one, and of the others each that makes it better; null: not more than one. */
async function allTogether(shown: readonly Found[], { part, leastGain }: AdviceRequest): Promise<Holding | null> {
  const holdings = shown.flatMap(({ best }) => (best === null ? [] : [best]));
  let all: Holding | null = null;
  for (const holding of holdings.slice(1)) {
    const best: Holding = all ?? holdings[0];
    const both = await predict(together([best.change, holding.change]), part, leastGain);
    if (both && both.change.predicted.cycles.after < best.change.predicted.cycles.after) all = both;
  }
  return all;
}

/** A problem that another allocator takes away is the allocator's. */
async function originsOf(
  shown: readonly Found[],
  { before: all, whole, part, allocators }: AdviceRequest,
): Promise<Finding['origin'][]> {
  const origins: Finding['origin'][] = [];
  for (const { problem } of shown) {
    const isInPart = isThere(problem, await part.before(), all);
    const { before, trials } = await (isInPart ? part : whole).tryAll(allocators);
    const isOfAllocator = [...trials.values()].some((after) => isTaken(problem, before, after));
    origins.push(isOfAllocator ? 'allocator' : 'application');
  }
  return origins;
}
