// Stage: profile -> views. The sharing view: pairs of what missed and what was stored, most misses first.

import { formatCount } from '../base/format-number.js';
import { allocationPaths, pathLines } from './frames.js';
import { allPairs, pairColumns, sharingColumns, threadLine, type PairLine } from './sharing-columns.js';
import { buildSharingView, type Sharing } from './sharing-rows.js';
import type { ViewDefinition } from './view-definition.js';

export const sharing: ViewDefinition<Sharing> = {
  build: buildSharingView,
  filters: ['type', 'field', 'function', 'minShare'],
  hasCallPaths: true,
  columns: sharingColumns,
  shareOf: ({ misses }, view) => misses / (allPairs(view) || Infinity),
  table(view, top) {
    const shown = view.rows.slice(0, top);
    return {
      title: 'sharing: accesses that miss because another core stored',
      columns: pairColumns(view),
      lines: shown.flatMap((pair): (PairLine | readonly string[])[] => [
        ...pathLines<PairLine>(
          [
            { pair, side: pair.missed },
            { pair: null, side: pair.writer },
          ],
          view.withCallPath === true,
          ({ side }) => [
            { of: 'accessed', frames: side.callPath },
            ...allocationPaths(side.allocationPath, side.variable),
          ],
        ),
        ...threadLine(pair),
      ]),
      empty: 'no access missed because of a store by another core',
      notes: [
        `${shown.length} of ${formatCount(view.rows.length)} pairs.`,
        ...(shown.some((pair) => pair.class === 'cold-sharing')
          ? [
              'cold-sharing: the first reference of a core to a line that another core had stored to, such as a ' +
                'message that was handed over in fresh memory. Its misses are among the compulsory ones elsewhere.',
            ]
          : []),
      ],
    };
  },
};
