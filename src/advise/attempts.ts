// Stage: problems -> advice. What was tried for a problem, whether or not it is worth telling: the change that came
// nearest, or why nothing was tried; and the best of all that was tried on the run.

import { plural } from '../base/format-number.js';
import { NothingLaidOut } from '../what-if/nothing-laid-out.js';
import { candidateKey, optionsOf, type Candidate } from './candidate.js';
import { runOf } from './prediction.js';
import type { Problem } from './problem.js';
import type { Costs } from './problems.js';
import type { Tried, TrialRunner } from './trial-runner.js';

/** Of the changes that were tried for a problem, the one that takes most of the estimated cycles. */
export interface Nearest {
  readonly text: string;
  readonly options: readonly string[];
  /** Of instructions and estimated cycles together, on the first machine; below zero: it costs so much more. */
  readonly gainShare: number;
}

/** One of the two is null. */
export interface Attempts {
  readonly nearest: Nearest | null;
  /** Why nothing was tried. */
  readonly untried: string | null;
}

/** Of the whole run, on the first machine under the first schedule. */
export interface BestTried extends Nearest {
  readonly cycles: { readonly before: number; readonly after: number };
}

export const TOO_CHEAP = 'all misses together cost too little for any change to bring --min-gain';
export const TOO_SMALL = 'it is too small (--min-cycles, or less than 1% of the misses of its level)';
export const TOO_LITTLE_OF_TYPE = 'even twice what all misses of the type cost is less than --min-gain';

export function beyondTop(looked: number): string {
  return `changes are tried for the costliest ${looked} only (--top)`;
}

type Changeable = Pick<Problem, 'class' | 'name' | 'allocatedAt' | 'isRecord'>;

/** `refused`: why a change cannot be laid out in the run. */
export function attemptsFor(
  problem: Changeable,
  candidates: readonly Candidate[],
  tried: Tried,
  refused: (candidate: Candidate) => Error | undefined,
): Attempts {
  if (candidates.length === 0) return { nearest: null, untried: whyNoChange(problem) };
  const nearest = nearestOf(candidates, tried);
  if (nearest !== null) return { nearest, untried: null };
  const [why] = candidates.map(refused).filter((error) => error !== undefined);
  return { nearest, untried: `${plural(candidates.length, 'change')} cannot be made in this run: ${wordsOf(why)}` };
}

export function nearestOf(candidates: readonly Candidate[], { before, trials }: Tried): Nearest | null {
  const all = candidates.flatMap((one): Nearest[] => {
    const after = trials.get(candidateKey(one));
    return after === undefined ? [] : [asNearest(one, before, after)];
  });
  return all.reduce<Nearest | null>(
    (most, one) => (most === null || one.gainShare > most.gainShare ? one : most),
    null,
  );
}

type Trying = Pick<TrialRunner, 'before' | 'known' | 'tryAll'>;

/** Excerpts find it; what it brings is predicted of the whole run. */
export async function bestTried(
  candidates: readonly Candidate[],
  { part, whole }: { readonly part: Trying; readonly whole: Trying },
): Promise<BestTried | null> {
  const known = async (runner: Trying): Promise<Nearest | null> =>
    nearestOf(candidates, { before: await runner.before(), trials: runner.known(candidates) });
  const all = [await known(whole), await known(part)].filter((one) => one !== null);
  const [best] = all.sort((a, b) => b.gainShare - a.gainShare);
  const candidate = candidates.find((one) => candidateKey(one) === best?.options.join(' '));
  if (candidate === undefined) return null;
  const { before, trials } = await whole.tryAll([candidate]);
  const after = trials.get(candidateKey(candidate));
  if (after === undefined) return null;
  return { ...asNearest(candidate, before, after), cycles: { before: before.cycles, after: after.cycles } };
}

export function asNearest(candidate: Candidate, before: Costs, after: Costs): Nearest {
  const gainShare = (before.cycles - after.cycles) / Math.max(1, runOf(before));
  return { text: candidate.text, options: optionsOf(candidate), gainShare };
}

function wordsOf(error: Error | undefined): string {
  if (error instanceof NothingLaidOut) return error.why;
  return error?.message ?? 'nothing says why';
}

/** Of a problem for which no change is known. */
function whyNoChange({ class: own, name, allocatedAt, isRecord }: Changeable): string {
  if (own === 'compulsory') return 'no change of layout helps what is touched once, only less data';
  if (own === 'true-sharing') return 'no change of layout helps bytes that several threads use';
  if (!isRecord && name === null && allocatedAt === null) return 'no variable and no allocation is known to be it';
  if (own === 'false-sharing') return 'it is no variable or array whose elements could be moved apart';
  return isRecord ? 'no other order of its fields is possible' : 'no rows of it are known that could be longer';
}
