// Stage: problems -> advice. For each problem the change that brings most, or what a person could do.

import { ObjectKind } from '../sim/sim-object.js';
import { typeOf } from '../what-if/place-objects.js';
import type { AdviceRequest } from './advice-request.js';
import { arrayCandidates, arrayName, walkOf } from './array-candidates.js';
import { asNearest, attemptsFor, TOO_LITTLE_OF_TYPE, type Attempts } from './attempts.js';
import { candidateKey, subjectsOf, type Candidate } from './candidate.js';
import { loopCandidates } from './loop-candidates.js';
import { adviceFor, type AdviceFacts } from './plain-advice.js';
import { runOf, type Holding, type Predicted } from './prediction.js';
import type { Problem } from './problem.js';
import { costOf, costOfAll, likeIn, type Costs } from './problems.js';
import { bestOf, firstThatHolds } from './ranked-changes.js';
import { structCandidates } from './struct-candidates.js';
import type { Tried } from './trial-runner.js';

/** A change to a type brings at most so much of what all misses of the type cost: others have more room, too. */
const MOST_OF_TYPE = 2;
/** Of what a problem costs in the whole run, for its part in excerpts to tell what helps. */
const LEAST_PART = 0.25;

/** What a finding is, before its origin and its change are known of the whole run. */
export interface Found {
  readonly problem: Problem;
  readonly others: readonly Problem[];
  /** What a person could do if no change holds; null: there is nothing to say. */
  readonly advice: string | null;
  readonly best: Holding | null;
}

export interface FoundChanges {
  readonly found: readonly Found[];
  /** Of all that were looked at. */
  readonly attempts: ReadonlyMap<Problem, Attempts>;
}

/** Of each problem that is no part of another one's change: the best change, or words. */
export async function findChanges(serious: readonly Problem[], request: AdviceRequest): Promise<FoundChanges> {
  if (serious.length === 0) return { found: [], attempts: new Map() };
  const { before, whole, part, catalog, survey, cacheLines, leastGain } = request;
  const candidates = serious.map((problem) =>
    mayBring(problem, request) ? candidatesFor(problem, serious, request) : [],
  );
  const first = await part.tryAll(distinct(candidates.flat()));
  const found: Found[] = [];
  const attempts = new Map<Problem, Attempts>();
  const covered = new Set<Problem>();
  for (const [index, problem] of serious.entries()) {
    if (covered.has(problem)) continue;
    const runner = isThere(problem, first.before, before) ? part : whole;
    const tried = runner === part || candidates[index].length === 0 ? first : await runner.tryAll(candidates[index]);
    const best = await bestOf(candidates[index], tried, problem, runner, leastGain);
    const others = best ? serious.filter((one) => one !== problem && isTaken(one, tried.before, best.after)) : [];
    if (best)
      for (const one of serious)
        if (others.includes(one) || (one !== problem && isTouched(one, problem, best.change))) {
          covered.add(one);
          attempts.set(one, { nearest: asNearest(best.candidate, tried.before, best.after), untried: null });
        }
    const advice =
      problem.cycles < leastGain * runOf(before)
        ? null
        : adviceFor(problem, before, {
            objects: objectsOf(problem, request),
            walk: walkOf(catalog, survey, problem, cacheLines),
            exchange: exchangeOf(loopCandidates(catalog, problem), tried, leastGain),
          });
    attempts.set(
      problem,
      mayBring(problem, request)
        ? attemptsFor(problem, candidates[index], tried, (one) => runner.whyRefused(one) ?? part.whyRefused(one))
        : { nearest: null, untried: TOO_LITTLE_OF_TYPE },
    );
    if (best || advice !== null) found.push({ problem, others, advice, best });
  }
  return { attempts, found: found.filter(({ problem, best }) => best !== null || !covered.has(problem)) };
}

/** Whether all misses of the type cost so much that a change to it can be worth trying. */
function mayBring({ type }: Problem, { before, leastGain }: AdviceRequest): boolean {
  const ofType = [...before.found, ...before.left].filter((one) => one.type === type);
  const cycles = ofType.reduce((sum, one) => sum + one.cycles, 0);
  return MOST_OF_TYPE * cycles >= leastGain * runOf(before);
}

/** If no layout helps, another allocator may: told of the problem that it takes most of. */
export async function allocatorChange(request: AdviceRequest): Promise<Found | null> {
  const { before: all, part, allocators, leastGain } = request;
  const real = allocators.filter(({ request: { allocator } }) => allocator?.ownLines !== true);
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
export function isThere(problem: Problem, part: Costs, whole: Costs): boolean {
  return likeIn(problem, part) >= likeIn(problem, whole) * (part.references / whole.references) * LEAST_PART;
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

/** One change of a subject is told, not one for each class of its misses. */
export function isTouched(problem: Problem, by: Problem, { options }: Predicted): boolean {
  const isSame = problem.type === by.type && problem.name === by.name && problem.allocatedAt === by.allocatedAt;
  const name = problem.isRecord ? problem.type : arrayName(problem);
  return isSame || (name !== null && subjectsOf(options).has(name));
}

/** At least half of it is gone, and did not become another class of the same data's misses. */
export function isTaken(problem: Problem, before: Costs, after: Costs): boolean {
  const cost = costOf(problem, before);
  const saved = costOfAll(problem, before) - costOfAll(problem, after);
  return cost > 0 && costOf(problem, after) * 2 <= cost && saved * 2 >= cost;
}
