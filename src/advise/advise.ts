// Stage: trace -> advice. Problems of a run, and for each the change that brings most: tried on the run or, if that is
// long, on excerpts of it, on several machines and under several schedules; what is told is predicted of the whole run.
// What nothing helps is left out, or told as advice.

import type { AdviceRequest } from './advice-request.js';
import type { CacheperfVerdict } from './cacheperf-verdict.js';
import { asNearest, beyondTop, bestTried, TOO_CHEAP, TOO_SMALL, type Attempts, type BestTried } from './attempts.js';
import { candidateKey, together } from './candidate.js';
import {
  allocatorChange,
  findChanges,
  isTaken,
  isThere,
  isTouched,
  type Found,
  type FoundChanges,
} from './find-changes.js';
import { gainOf, predict, predictWhole, type Change, type Holding, type Prediction } from './prediction.js';
import type { FindingKind, Problem } from './problem.js';
import type { Problems } from './problems.js';
import { isWorthCode } from './ranked-changes.js';
import { isTooCheap } from './thresholds.js';
import type { TrialRunner } from './trial-runner.js';

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
  /** As the change's candidate has it. */
  readonly tells?: FindingKind;
}

export interface Advice {
  readonly findings: readonly Finding[];
  /** All changes together, if there are several that help more than the best alone. */
  readonly all: Change | null;
  /** Costliest first. */
  readonly left: readonly Problem[];
  /** By problem that is left: the change that came nearest, or why none was tried. */
  readonly attempts: FoundChanges['attempts'];
  /** If there are no findings: what was tried and brings most, though not enough; null: nothing was tried. */
  readonly bestTried: BestTried | null;
  readonly before: Problems;
}

/** So many problems are looked at for each finding to show, the costliest ones. */
const LOOKED_AT = 2;
/** A finding that no change was found for brings this part of its cost, as far as the choice of the shown ones goes. */
const UNTRIED = 0.25;

export async function advise(request: AdviceRequest): Promise<Advice> {
  const { before, whole, top, leastGain } = request;
  const isCheap = isTooCheap(before, leastGain);
  const serious = isCheap ? [] : before.found.slice(0, top * LOOKED_AT);
  request.progress.begin('try');
  const { found: layouts, attempts } = await findChanges(serious, request);
  const preloaded = isCheap || layouts.some(({ best }) => best !== null) ? null : await allocatorChange(request);
  const found = preloaded ? [...layouts.filter((one) => one.problem !== preloaded.problem), preloaded] : layouts;
  const shown = [...found].sort((a, b) => bringOf(b) - bringOf(a)).slice(0, top);
  request.progress.begin('predict');
  const all = await allTogether(shown, request);
  const told = [...shown.map(({ best }) => best), all].filter((best) => best !== null);
  const [origins] = await Promise.all([originsOf(shown, request), isWhole(request) ? null : tryWhole(told, whole)]);
  const predicted = async (best: Holding): Promise<Change | null> => {
    const change = isWhole(request) ? best.change : await predictWhole(best, whole, leastGain);
    if (change !== null && !isWorthCode(best.candidate, change.predicted.runTime)) return null;
    return change && { ...change, structs: request.structsOf(best.candidate) };
  };
  const findings: Finding[] = [];
  for (const [index, { best, advice, others, problem }] of shown.entries()) {
    const change = best && (await predicted(best));
    const origin = origins[index];
    if (change !== null) findings.push({ problem, others, change, advice: null, origin, tells: best?.candidate.tells });
    else if (advice !== null) findings.push({ problem, others: [], change, advice, origin });
  }
  findings.sort(byGain);
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
  const holding = new Map(shown.flatMap(({ best }) => (best === null ? [] : [[candidateKey(best.candidate), best]])));
  const ofLeft = new Map<Problem, Attempts>();
  for (const problem of left) {
    const attempt = attempts.get(problem) ?? { nearest: null, untried: whyUntried(problem, request, isCheap) };
    const best = attempt.nearest === null ? undefined : holding.get(attempt.nearest.options.join(' '));
    ofLeft.set(problem, best === undefined ? attempt : await attemptOf(best, request));
  }
  return {
    findings: findings.map(asTold),
    all: isBetter ? both : null,
    left,
    attempts: ofLeft,
    bestTried: findings.length === 0 ? await bestTried(whole.changes, request) : null,
    before,
  };
}

/** Excerpts found that it helps; told is what it brings to the whole run. */
async function attemptOf({ candidate }: Holding, { whole }: AdviceRequest): Promise<Attempts> {
  const after = whole.after(candidate);
  if (after === undefined) return { nearest: null, untried: 'the whole run has nothing that it could change' };
  return { nearest: asNearest(candidate, await whole.before(), after), untried: null };
}

function whyUntried(problem: Problem, { before, top }: AdviceRequest, isCheap: boolean): string {
  if (before.left.includes(problem)) return TOO_SMALL;
  return isCheap ? TOO_CHEAP : beyondTop(top * LOOKED_AT);
}

/** A change may say what the problem is. */
function asTold(finding: Finding): Finding {
  const { problem, tells } = finding;
  return tells === undefined ? finding : { ...finding, problem: { ...problem, kind: tells } };
}

/** What holds on excerpts, on the whole run; beside it the run as it was on the other machines that were asked for. */
async function tryWhole(told: readonly Holding[], whole: TrialRunner): Promise<void> {
  if (told.length === 0) return;
  const others = Array.from({ length: whole.asked - 1 }, (_, index) => whole.before(index + 1, 0, 1));
  const changes = told.map(({ candidate }) => candidate);
  await Promise.all([...others, whole.tryAll(changes, whole.asked)]);
}

function isWhole({ whole, part }: AdviceRequest): boolean {
  return whole === part;
}

/** Of the estimated cycles of the run. */
function bringOf({ problem, best }: Found): number {
  if (best === null) return problem.cyclesShare * UNTRIED;
  const { predicted } = best.change;
  return gainOf(predicted) / Math.max(1, predicted.cycles.before);
}

interface Ranked {
  readonly problem: Pick<Problem, 'cycles'>;
  readonly change: { readonly predicted: Pick<Prediction, 'cycles'> } | null;
}

/** What brings most; then those in words, of which nobody knows what they bring, the costliest first. */
export function byGain(a: Ranked, b: Ranked): number {
  const gain = ({ change }: Ranked): number => (change === null ? -1 : gainOf(change.predicted));
  return gain(b) - gain(a) || b.problem.cycles - a.problem.cycles;
}

/** Greedily: the best one, and of the others each that makes it better; null: not more than one. */
async function allTogether(shown: readonly Found[], { part, leastGain }: AdviceRequest): Promise<Holding | null> {
  const holdings = shown.flatMap(({ best }) => (best === null ? [] : [best]));
  let all: Holding | null = null;
  for (const holding of holdings.slice(1)) {
    const best: Holding = all ?? holdings[0];
    const both = await predict(together([best.change, holding.change]), part, leastGain);
    if (both && leftOf(both.change) < leftOf(best.change)) all = both;
  }
  return all;
}

/** The part of the estimated cycles that is left: one change may be tried on excerpts, the other on the whole run. */
function leftOf({ predicted: { cycles } }: Holding['change']): number {
  return cycles.after / Math.max(1, cycles.before);
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
