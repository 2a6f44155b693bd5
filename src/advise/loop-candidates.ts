// Stage: problems -> advice. What may help a loop that goes through memory in the wrong order.

import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { briefSite } from '../views/sites.js';
import { loopChanges } from '../what-if/loop-change.js';
import type { Candidate } from './candidate.js';
import type { Problem } from './problem.js';

/** What goes through memory from one iteration to another is checked; what goes through a register is not recorded. */
const UNSEEN = ' (no iteration may need a variable as the one before left it)';

/** Iterations of a tile, each way. */
const TILES = [32];

export function loopCandidates(catalog: Catalog, problem: Problem): Candidate[] {
  if (problem.site === null || (problem.class !== 'capacity' && problem.class !== 'conflict')) return [];
  const line = briefSite(problem.site);
  if (!isLoop(catalog, line)) return [];
  return [
    {
      text: `exchange the two innermost loops at ${line}${UNSEEN}`,
      request: { interchange: [line] },
    },
    ...TILES.map((size) => ({
      text: `go through the two innermost loops at ${line} in tiles of ${size} by ${size} iterations${UNSEEN}`,
      request: { tile: [`${line}=${size}`] },
    })),
  ];
}

export function changesLoops({ request: { interchange, tile } }: Candidate): boolean {
  return interchange !== undefined || tile !== undefined;
}

/** Whether steps of the line may change places. */
function isLoop(catalog: Catalog, line: string): boolean {
  try {
    return loopChanges(catalog, [line], []) !== null;
  } catch (error) {
    if (error instanceof DprofError) return false;
    throw error;
  }
}
