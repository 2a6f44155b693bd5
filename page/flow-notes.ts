// Stage: HTML page. The notes on the views of the flow: how it was collected, and what they do not show.

import { formatCount, formatShare, plural } from '../src/base/format-number.js';
import type { FlowTotals } from '../src/views/flow-facts.js';
import { element } from './elements.js';

export const SPELLED_PLACES: Record<FlowTotals['by'], string> = {
  function: 'function',
  line: 'source line',
  ip: 'instruction',
};

/** Nothing, where everything is shown. */
export function flowNotes({
  mostPaths,
  mostSteps,
  lives,
  livesOnOtherPaths,
  referencesOnOtherPaths,
  livesCut,
}: FlowTotals): HTMLElement[] {
  const notes = [
    ...(livesOnOtherPaths === 0
      ? []
      : [
          `${formatCount(livesOnOtherPaths)} of ${plural(lives, 'life')} of objects (` +
            `${formatShare(livesOnOtherPaths, lives)}, ${plural(referencesOnOtherPaths, 'reference')}) took ` +
            `other paths than the first ${formatCount(mostPaths)}, which are kept: --most-paths keeps more.`,
        ]),
    ...(livesCut === 0
      ? []
      : [
          `${plural(livesCut, 'life')} of objects had more steps than ${mostSteps}: the last one stands for the ` +
            'rest. --most-steps keeps more.',
        ]),
  ];
  return notes.map((note) => element('p', { class: 'note' }, note));
}
