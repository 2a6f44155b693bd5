// Stage: problems -> advice. What a person could do where a replay with another layout cannot show it.

import { briefSite } from '../views/sites.js';
import type { Problem } from './problem.js';
import type { Problems } from './problems.js';

/** Many objects, of which the L1 uses little: a structure that hops from one to the next. */
const MANY_OBJECTS_REFERENCES = 1000;

/** Null: nothing is known that would help. */
export function adviceFor(problem: Problem, { cycles }: Problems): string | null {
  const at = problem.site === null ? '' : ` at ${briefSite(problem.site)}`;
  switch (problem.kind) {
    case 'true-sharing':
      return `threads take turns in writing it${at}: give each thread its own, and add them up at the end, or hand over several at once`;
    case 'false-sharing':
      return `threads write different bytes of one line${at}: give what each thread writes lines of its own`;
    case 'cold-sharing':
      return `one core writes it and another reads it for the first time${at}: hand over more at once, or let the same core do both`;
    case 'conflict':
      return `lines that are used together fall into one set${at}: change the distance between them, of rows by padding, of blocks by their order or size`;
    case 'unused-bytes':
      return problem.isRecord && problem.row.references >= MANY_OBJECTS_REFERENCES && problem.cycles * 4 >= cycles
        ? `most bytes of the lines that are fetched${at} are never used: keep what is looked for side by side, in a sorted array or a B-tree instead of nodes`
        : null;
    default:
      return null;
  }
}
