// Stage: profile -> views. What a run would take on a processor that overlaps misses, in cycles: docs/advice.md, "Run
// time", has the rule and where it comes from.

import { LEVELS } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { CounterSums, perLevel, sumBy } from './counter-sums.js';
import { framesOf } from './frames.js';
import { costOfLevels } from './level-cycles.js';
import type { FunctionCycles } from './view.js';

/** Instructions that a processor looks ahead while a miss is served: the reorder buffer of Zen 2 and Skylake. */
const WINDOW = 224;
/** Misses that it has under way at a time, at most: line fill buffers of Skylake. */
const MOST_AT_A_TIME = 10;

/** Without a miss: instructions at this many cycles each. */
export const DEFAULT_CPI = 0.3;

/** Misses that are under way together, where so many come in so many instructions and none waits for another. */
export function missesAtATime(misses: number, instructions: number): number {
  return Math.min(MOST_AT_A_TIME, 1 + (WINDOW * misses) / Math.max(1, instructions));
}

/** Of a run, and what its accesses have of it, by row of the tallies. */
export interface RunCycles {
  readonly all: number;
  /** A row has as much of its function's as of the function's references. */
  readonly compute: Float64Array;
  readonly wait: Float64Array;
  /** What functions without references compute, by name, where it is known. */
  readonly others: ReadonlyMap<string, number>;
}

/**
 * Over threads together. `isHopped`: of type names: objects that are reached by pointers, so that a miss waits for the
 * one before. `functions`: without, each function has as much of the run's instructions as of its references.
 */
export function runCycles(
  profile: Profile,
  isHopped: (type: string) => boolean,
  cpi: number,
  functions?: FunctionCycles,
): RunCycles {
  const { tallies, sites, strings, totals, types, machine } = profile;
  const frames = framesOf(profile);
  const functionOf = (row: number): number => sites.function[frames.charged(tallies.site[row])];
  const hopped = Uint8Array.from(types.name, (name) => Number(isHopped(strings[name])));
  const keyOf = (row: number): number => functionOf(row) * 2 + hopped[tallies.type[row]];
  const each = totals.instructions / Math.max(1, totals.references);
  const references = new Map([...sumBy(tallies, functionOf)].map(([name, own]) => [name, own.references]));
  const atATime = new Map(
    [...sumBy(tallies, keyOf)].map(([key, own]) => {
      const instructions = each * (references.get(Math.floor(key / 2)) ?? 0);
      return [key, perLevel((level) => (key % 2 === 1 ? 1 : missesAtATime(own.misses(level), instructions)))];
    }),
  );
  const computed = shareCompute(
    new Map([...references].map(([name, own]) => [strings[name], own * each * cpi])),
    totals.instructions * cpi,
    functions,
  );
  const others = new Map(computed);
  for (const name of references.keys()) others.delete(strings[name]);
  const compute = new Float64Array(tallies.type.length);
  const wait = new Float64Array(tallies.type.length);
  let all = totals.instructions * cpi;
  for (let row = 0; row < wait.length; row++) {
    const own = new CounterSums();
    own.add(tallies, row);
    const { levelCycles } = costOfLevels((name) => own.get(name), machine);
    const together = atATime.get(keyOf(row))!;
    const name = functionOf(row);
    compute[row] = (computed.get(strings[name])! * own.references) / Math.max(1, references.get(name)!);
    wait[row] = LEVELS.reduce((sum, level) => sum + levelCycles[level] / together[level], 0);
    all += wait[row];
  }
  return { all, compute, wait, others };
}

/**
 * Cycles of functions' instructions, by name, of `all`. `usual`: by references. Functions whose machine code was not
 * counted keep those; the others have of the rest what their code took, which is that of those inlined into them, too,
 * as far as these have no references of their own.
 */
function shareCompute(
  usual: ReadonlyMap<string, number>,
  all: number,
  functions: FunctionCycles | undefined,
): ReadonlyMap<string, number> {
  if (functions === undefined) return usual;
  const took = new Map<string, number>();
  for (const [name, parts] of functions)
    for (const [inlined, cycles] of parts) {
      const charged = usual.has(inlined) ? inlined : name;
      took.set(charged, (took.get(charged) ?? 0) + cycles);
    }
  let [rest, whole] = [all, 0];
  for (const [name, cycles] of usual) if (!took.has(name)) rest -= cycles;
  for (const cycles of took.values()) whole += cycles;
  const measured = [...took].map(([name, cycles]) => [name, (rest * cycles) / Math.max(1, whole)] as const);
  return new Map([...usual, ...measured]);
}
