// Stage: views -> text. What every view of paths says of those that it does not show.

import type { FlowTotals } from '../views/flow-facts.js';
import { formatCount, formatShare } from './format-number.js';
import type { TextSection } from './text-report.js';

const steps: Readonly<Record<FlowTotals['by'], string>> = {
  function: 'A step is in one function on one core.',
  line: 'A step is in one line on one core.',
  ip: 'A step is one access on one core.',
};

export function flowNotes({ by, mostPaths, lives, livesCut, livesOnOtherPaths, referencesOnOtherPaths }: FlowTotals): TextSection['notes'] {
  return [
    ['', steps[by]],
    ...(livesOnOtherPaths === 0 ? [] : [['', `LEFT OUT: ${countLives(livesOnOtherPaths)} (${formatShare(livesOnOtherPaths, lives)}, ${formatCount(referencesOnOtherPaths)} references) went other ways than the ${formatCount(mostPaths)} that were kept: --most-paths.`] as const]),
    ...(livesCut === 0 ? [] : [['', `CUT: ${countLives(livesCut)} (${formatShare(livesCut, lives)}) had more steps than are told.`] as const]),
  ];
}

export function countLives(lives: number): string {
  return `${formatCount(lives)} ${lives === 1 ? 'life' : 'lives'}`;
}
