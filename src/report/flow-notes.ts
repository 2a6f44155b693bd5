// Stage: views -> text. What every view of paths says of those that it does not show.

import type { FlowTotals } from '../views/flow-facts.js';
import { formatCount, formatShare, plural } from './format-number.js';
import type { TextSection } from './text-report.js';

const steps: Readonly<Record<FlowTotals['by'], string>> = {
  function: 'A step is in one function on one core.',
  line: 'A step is in one line on one core.',
  ip: 'A step is one access on one core.',
};

export function flowNotes({
  by,
  mostPaths,
  lives,
  livesCut,
  livesOnOtherPaths,
  referencesOnOtherPaths,
}: FlowTotals): TextSection['notes'] {
  return [
    ['', steps[by]],
    ...(livesOnOtherPaths === 0
      ? []
      : [
          [
            '',
            `LEFT OUT: ${plural(livesOnOtherPaths, 'life')} (${formatShare(livesOnOtherPaths, lives)}, ${plural(referencesOnOtherPaths, 'reference')}) went other ways than the ${formatCount(mostPaths)} that were kept: --most-paths.`,
          ] as const,
        ]),
    ...(livesCut === 0
      ? []
      : [
          [
            '',
            `CUT: ${plural(livesCut, 'life')} (${formatShare(livesCut, lives)}) had more steps than are told.`,
          ] as const,
        ]),
  ];
}
