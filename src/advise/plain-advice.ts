// Stage: problems -> advice. What a person could do where a replay with another layout cannot show it.

import { formatCount } from '../base/format-number.js';
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

/** How a loop goes through an array. */
export interface Walk {
  /** From one access to the next. */
  readonly stepBytes: number;
  /** That it steps on before it can meet the first one again. */
  readonly lines: number;
  /** Of the L1. */
  readonly cacheLines: number;
}

/** What is known of a problem beside its costs. */
export interface AdviceFacts {
  /** Heap objects of the struct. */
  readonly objects: number;
  /** Of an array by rows. */
  readonly walk: Walk | null;
  /** What the two innermost loops bring in another order: too little of the run time, or nothing at all. */
  readonly exchange: 'untried' | 'little' | 'nothing';
}

/** Stores, for each load, of what is updated in place, and not mostly read. */
const UPDATED = 0.5;

/** Of sharing: the field that misses, or all of it. */
function isUpdated({ sides, row }: Problem): boolean {
  const { loads, stores } = row.fields.find(({ field }) => field === sides?.missed.field) ?? row;
  return stores >= UPDATED * loads;
}

/** Null: nothing is known that would help. */
export function adviceFor(problem: Problem, { cycles }: Problems, facts: AdviceFacts): string | null {
  const { objects, walk, exchange } = facts;
  const at = problem.site === null ? '' : ` at ${briefSite(problem.site)}`;
  switch (problem.kind) {
    case 'true-sharing':
      if (objects >= HANDED_OVER)
        return (
          `threads hand its ${formatCount(objects)} objects to one another${at}: let the thread that makes ` +
          `one use it, too, or hand over several at once`
        );
      return isUpdated(problem)
        ? `threads take turns in writing it${at}: give each thread its own, and add them up at the end, ` +
            `or hand over several at once`
        : `threads read${at} what others write: let each thread keep to a part of its own, or write it less often, ` +
            'several at once';
    case 'lock-and-data':
      return (
        `whoever waits for the lock takes the line from whoever holds it${at}: ` +
        'give lock and data lines of their own'
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
      if (exchange === 'little') return null;
      if (walk !== null && walk.lines * 2 >= walk.cacheLines && problem.cycles >= WORTH_REWRITING * cycles)
        return (
          `the loop${at} goes through it in steps of ${formatCount(walk.stepBytes)} bytes, over ` +
          `${formatCount(walk.lines)} lines before one is used again, and the L1 holds ` +
          `${formatCount(walk.cacheLines)} in all: ` +
          (exchange === 'nothing' ? '' : 'exchange the loops, so that the inner one goes along a row, or ') +
          `let ${exchange === 'nothing' ? 'all loops around it' : 'it'} go through at most ` +
          `${formatCount(Math.floor(walk.cacheLines / 4))} rows at a time (tiling)`
        );
      if (objects < MANY_OBJECTS || problem.cycles < WORTH_REWRITING * cycles) return null;
      return (
        `${formatCount(objects)} objects are hopped through${at}, and little is used of each ` +
        `line: keep what is looked for side by side, in a sorted array or a B-tree instead of nodes, or prefetch a ` +
        'node as soon as its address is known and there is other work to do'
      );
    default:
      return null;
  }
}
