// Stage: command line. The last line of a report: the command that says what to change, where there may be anything to
// change.

import { DEFAULT_LEAST_GAIN, isTooCheap } from '../advise/thresholds.js';
import type { Profile } from '../profile/profile.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { adviseOf } from '../report/advice-words.js';
import { sumAll } from '../views/counter-sums.js';
import { STANDARD_INPUT } from './byte-stream.js';
import { hasMagic } from './has-magic.js';
import { areSamples } from './sampled-source.js';

const WIDTH = 80;
/** References of a run on which advice takes minutes. */
const LONG = 50e6;
const LONG_HINT = 'long run: advice takes minutes; a smaller input has the same findings, as a rule';
/** Where the trace is. */
const KEPT = 'run.dptrace';

/** Undefined: these are no single trace, which dprof advise could be given again. */
export function traceOf(paths: readonly string[], named: readonly string[]): string | undefined {
  const isOne = paths.length === 1 && named.length === 1 && paths[0] === named[0] && named[0] !== STANDARD_INPUT;
  return isOne && !areSamples(paths) && !hasMagic(paths[0], PROFILE_MAGIC) ? named[0] : undefined;
}

/** `trace`: where it is; null: nothing of the run is kept. Undefined: there is nothing to advise on. */
export function nextCommand(
  [
    {
      totals,
      tallies,
      run: { damaged, processes },
    },
  ]: readonly Profile[],
  trace: string | null,
): string | undefined {
  const costs = { cycles: sumAll(tallies).get('missLatencyCycles'), instructions: totals.instructions };
  if (isTooCheap(costs, DEFAULT_LEAST_GAIN) || damaged !== undefined || processes !== undefined) return undefined;
  if (trace === null) return `next: the same with --keep ${KEPT}, then ${adviseOf(KEPT)}`;
  const line = `next: ${adviseOf(trace)}`;
  const command = line.length <= WIDTH ? line : 'next: dprof advise, of the same trace';
  return totals.references < LONG ? command : `${command}\n${LONG_HINT}`;
}
