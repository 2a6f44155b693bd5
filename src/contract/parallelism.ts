// Stage: replay -> profile. How parallel a replay was, and what threads waited for: docs/replay/order.md,
// "Parallelism".

/** What a thread's clock was raised by: a kind of synchronisation (Sync of layout.ts), or one of these. */
export const WaitCause = { allocation: 16, blocked: 17 } as const;
export const WAIT_CAUSES = 18;

export interface ParallelismTable {
  /** By number of threads: replay time in which so many were running. */
  readonly running: readonly number[];
  /** By cause: how often it raised a clock, and by how much in all. */
  readonly waits: readonly number[];
  readonly waited: readonly number[];
  /** Allocations, and threads' stacks, that were renamed. */
  readonly renamedBlocks: number;
  readonly renamedStacks: number;
}
