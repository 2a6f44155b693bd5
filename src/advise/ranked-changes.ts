// Stage: advice. Of the changes that were tried, the one that is worth telling.

import { candidateKey, type Candidate } from './candidate.js';
import { changesLoops } from './loop-candidates.js';
import { isEnough, predict, type Holding, type Predicted } from './prediction.js';
import type { Problem } from './problem.js';
import { likeIn } from './problems.js';
import type { Tried, TrialRunner } from './trial-runner.js';

/** A change that is tried behind others must bring so much more, of all estimated cycles. */
const WORTH_MORE = 0.02;
/** Other loops, which a compiler may turn into worse code, must save this part of the run time. */
const WORTH_LOOPS = 0.1;
const MOST_TRIED_EVERYWHERE = 2;

export function isWorthCode(candidate: Candidate, { before, after }: Predicted['predicted']['runTime']): boolean {
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
    const isWorse = likeIn(problem, trial) > likeIn(problem, before);
    const isSlow =
      trial.runCycles > before.runCycles ||
      !isWorthCode(candidate, { before: before.runCycles, after: trial.runCycles });
    return isWorse || isSlow || !isEnough(before, trial, leastGain) ? [] : [{ candidate, place, gain }];
  });
  const step = WORTH_MORE * before.cycles;
  helping.sort((a, b) => Math.round(b.gain / step) - Math.round(a.gain / step) || a.place - b.place);
  return helping.map(({ candidate }) => candidate);
}

/** What lies in one set is laid out anew rather than gone through in another order: that is the smaller change. */
export async function bestOf(
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
export async function firstThatHolds(
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
