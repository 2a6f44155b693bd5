// Stage: profile -> views. The facts that every view of the flow tells: how it was collected, and what it does not
// show.

import { DprofError } from '../base/dprof-error.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { CUT, type Flow, type FlowFacts } from '../profile/flow.js';
import type { Profile } from '../profile/profile.js';
import { ownPaths } from './own-paths.js';

export interface FlowTotals extends FlowFacts {
  readonly distinctPaths: number;
  /** Lives of objects: all of them, those on the distinct paths, and those on further paths, beyond `mostPaths`. */
  readonly lives: number;
  readonly livesOnPaths: number;
  readonly livesOnOtherPaths: number;
  readonly referencesOnOtherPaths: number;
  /** Lives whose paths are longer than they are told. */
  readonly livesCut: number;
}

/** With own frames in it, unless `--innermost` asks for others. */
export function requireFlow(profile: Profile, view: string): Flow {
  if (profile.flow !== undefined) return ownPaths(profile, profile.flow);
  throw new DprofError(
    `the profile has no paths, so it has no ${view}`,
    'replay the trace once more, under one schedule and without --no-flow: dprof replay TRACE -o PROFILE',
  );
}

export function flowTotals({ by, mostPaths, mostSteps, paths, otherPaths }: Flow): FlowTotals {
  const livesOnPaths = add(paths.lives);
  const livesOnOtherPaths = add(otherPaths.lives);
  return {
    by,
    mostPaths,
    mostSteps,
    distinctPaths: paths.type.length,
    lives: livesOnPaths + livesOnOtherPaths,
    livesOnPaths,
    livesOnOtherPaths,
    referencesOnOtherPaths: add(otherPaths.references),
    livesCut: paths.lives.reduce((sum, lives, row) => sum + ((paths.flags[row] & CUT) === 0 ? 0 : lives), 0),
  };
}

function add(column: Float64Array): number {
  return column.reduce((sum, value) => sum + value, 0);
}

const STEPS: Readonly<Record<FlowTotals['by'], string>> = {
  function: 'A step is in one function on one core.',
  line: 'A step is in one line on one core.',
  ip: 'A step is one access on one core.',
};

/** The notes of every view of paths: they say what the view does not show. */
export function flowNotes({
  by,
  mostPaths,
  mostSteps,
  lives,
  livesCut,
  livesOnOtherPaths,
  referencesOnOtherPaths,
}: FlowTotals): string[] {
  return [
    STEPS[by],
    ...(livesOnOtherPaths === 0
      ? []
      : [
          `LEFT OUT: ${plural(livesOnOtherPaths, 'life')} (${formatShare(livesOnOtherPaths, lives)}, ` +
            `${plural(referencesOnOtherPaths, 'reference')}) went other ways than the ${formatCount(mostPaths)} ` +
            'that were kept: --most-paths.',
        ]),
    ...(livesCut === 0
      ? []
      : [
          `CUT: ${plural(livesCut, 'life')} (${formatShare(livesCut, lives)}) had more steps than ${mostSteps}: ` +
            '--most-steps.',
        ]),
  ];
}
