// Stage: problems -> advice. What a person could do where a replay with another layout cannot show it.

import { briefSite } from '../views/sites.js';
import type { Problem } from './problem.js';
import type { Problems } from './problems.js';

/** So many are nodes of a structure, or messages. */
const MANY_OBJECTS = 1000;
/** What threads hand over again and again, not data that one of them reads in once. */
const HANDED_OVER = 100;
/** Of all estimated cycles: a structure of another kind is much work. */
const WORTH_REWRITING = 0.25;

/** The same, where nobody knows which distance would help. */
const WORTH_WORDS = 0.1;

/** Null: nothing is known that would help. `objects`: heap objects of the struct. */
export function adviceFor(problem: Problem, { cycles }: Problems, objects: number): string | null {
  const at = problem.site === null ? '' : ` at ${briefSite(problem.site)}`;
  switch (problem.kind) {
    case 'true-sharing':
      return (
        `threads take turns in writing it${at}: give each thread its own, and add them up at the end, ` +
        `or hand over several at once`
      );
    case 'false-sharing':
      return `threads write different bytes of one line${at}: give what each thread writes lines of its own`;
    case 'cold-sharing':
      if (objects < HANDED_OVER) return null;
      return (
        `one core writes it and another reads it for the first time${at}: hand over several at once, ` +
        `or let the same core do both`
      );
    case 'conflict':
      if (problem.cycles < WORTH_WORDS * cycles) return null;
      return (
        `lines that are used together fall into one set${at}: change the distance between them, of ` +
        `rows by padding, of blocks by their order or size`
      );
    case 'unused-bytes':
    case 'capacity':
      if (objects < MANY_OBJECTS || problem.cycles < WORTH_REWRITING * cycles) return null;
      return (
        `${objects.toLocaleString('en')} objects are hopped through${at}, and little is used of each ` +
        `line: keep what is looked for side by side, in a sorted array or a B-tree instead of nodes`
      );
    default:
      return null;
  }
}
