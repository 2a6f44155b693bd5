// Stage: advice -> text, HTML page. What advice leaves out, in sentences: how much, the costliest of it with what came
// nearest to a change, and if nothing is serious, the best change that was tried.

import type { AdviceJson } from '../advise/advice-schema.js';
import { formatShare, plural } from '../base/format-number.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import { briefSubjectOf, cyclesGainOf, KIND_NAMES, sharesOf, sharesOfRun, type Words } from './advice-words.js';

/** Of a run, misses that somebody would like to be rid of. */
const MUCH = 0.1;

type Run = Pick<AdviceJson, 'cycles' | 'instructions'>;
type Costliest = NonNullable<AdviceJson['left']['costliest']>[number];

export function leftOutOf(
  found: number,
  { count, largest, costliest }: AdviceJson['left'],
  { tried, ...run }: Run & Pick<AdviceJson, 'tried'>,
): Words {
  if (found === 0) {
    const { cycles, instructions } = run;
    const why =
      tried === 0
        ? `misses cost ${formatShare(cycles, Math.max(1, cycles + instructions))} of the run (instructions and ` +
          'estimated cycles), and no change to try could bring enough of it (--min-gain).'
        : 'nothing that was tried brings enough of the run (instructions and estimated cycles; --min-gain).';
    const ofRun = cycles / Math.max(1, cycles + instructions);
    const more =
      tried > 0 && ofRun >= MUCH
        ? ` Misses cost ${formatShare(cycles, cycles + instructions)} of it all the same: what costs most may need ` +
          'another data structure, or less data.'
        : '';
    return [`Nothing serious: ${why}${more}`];
  }
  if (count === 0) return ['Nothing is left out.'];
  return [
    `Left out: ${plural(count, 'problem')}, too small (--min-cycles) or without a change that brings enough ` +
      '(--min-gain).',
    ...(costliest !== undefined
      ? [' The costliest, and why:']
      : largest === null
        ? []
        : [' The largest: ', ...costOf(largest, run), '.']),
  ];
}

/** What costs most of all that is left out, and what came nearest to a change. */
export function costliestOf(
  { costliest = [] }: AdviceJson['left'],
  run: Pick<AdviceJson, 'minGain' | 'bestTried'> & Run,
): Words[] {
  return costliest.map((problem) => [...costOf(problem, run), '.', ...nearestOf(problem, run)]);
}

/** "struct node: conflicts, 12.0% of the estimated cycles, 4.1% of the run, most by L1 misses, at list.c:12" */
function costOf(problem: NonNullable<AdviceJson['left']['largest']>, run: Run): Words {
  return [
    ...briefSubjectOf(problem),
    `: ${KIND_NAMES[problem.kind]}, ${sharesOf(problem, run)}, most by ${LEVEL_NAMES[problem.level]} misses`,
    ...(problem.site === null ? [] : [', at ', { site: problem.site }]),
  ];
}

function nearestOf(
  { nearest, untried }: Costliest,
  { minGain, bestTried, ...run }: Pick<AdviceJson, 'minGain' | 'bestTried'> & Run,
): Words {
  if (nearest === null) return untried ? [' Nothing was tried: ', { prose: untried }, '.'] : [];
  if (nearest.options.join(' ') === bestTried?.options.join(' ')) return [' That change comes nearest.'];
  const saves = savesOf(nearest.gainShare, minGain, run);
  return [` The nearest that was tried ${saves}: `, { prose: nearest.text }, '.'];
}

/** Whether there is a reason to repeat it. */
export function isOfUse(bestTried: AdviceJson['bestTried']): boolean {
  return !!bestTried && bestTried.gainShare > 0;
}

/** The best of what was tried. */
export function bestTriedOf({ bestTried, minGain, ...run }: Pick<AdviceJson, 'bestTried' | 'minGain'> & Run): Words {
  if (!bestTried) return [];
  const worse = bestTried.gainShare < 0;
  return [
    worse
      ? 'All that was tried makes it worse, least of all: '
      : `The best that was tried ${savesOf(bestTried.gainShare, minGain, run)}: `,
    { prose: bestTried.text },
    `. Predicted: ${cyclesGainOf(bestTried)}.`,
  ];
}

/** `share`: of the run. */
function savesOf(share: number, minGain: number | undefined, run: Run): string {
  if (share <= 0) return share < 0 ? 'makes it worse' : 'saves nothing';
  const saves = `saves ${sharesOfRun(share, run)}`;
  if (minGain === undefined) return saves;
  return share < minGain
    ? `${saves} (less than ${Number((100 * minGain).toFixed(2))}%: --min-gain)`
    : `${saves}, but does harm on another machine or under another schedule, or too little for the run time`;
}
