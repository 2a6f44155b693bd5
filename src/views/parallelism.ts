// Stage: profile -> views. How parallel a replay was, and what bound it: docs/replay/order.md, "Parallelism".

import { WaitCause, type ParallelismTable } from '../contract/parallelism.js';
import { Sync } from '../trace/layout.js';

export interface Parallelism {
  /** Replay time with so many threads running, in instructions; by threads. */
  readonly running: readonly { readonly threads: number; readonly instructions: number }[];
  /** How often, and how far, acquires of each kind raised their thread's clock; the longest first. */
  readonly waits: readonly Wait[];
  /** What was renamed. */
  readonly renamed: { readonly allocations: number; readonly stacks: number };
}

interface Wait {
  readonly for: string;
  readonly times: number;
  readonly instructions: number;
}

const CAUSES: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...Sync, ...WaitCause }).map(([name, cause]) => [cause, name]),
);

/** Null: one thread, an order in which threads do not wait, or a profile that does not say it. */
export function buildParallelism(table: ParallelismTable | undefined): Parallelism | null {
  if (table === undefined) return null;
  return {
    running: table.running
      .map((instructions, threads) => ({ threads, instructions }))
      .filter(({ instructions }) => instructions > 0),
    waits: table.waits
      .map((times, cause) => ({ for: CAUSES.get(cause) ?? `${cause}`, times, instructions: table.waited[cause] }))
      .filter(({ times }) => times > 0)
      .sort((a, b) => b.instructions - a.instructions || (a.for < b.for ? -1 : 1)),
    renamed: { allocations: table.renamedBlocks, stacks: table.renamedStacks },
  };
}
