// Stage: profile. How parallel a replay was, as its engine counted it.

import { WAIT_CAUSES, type ParallelismTable } from '../contract/parallelism.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** Of several runs: their sum, if each says something. */
export function addParallelism(all: readonly (ParallelismTable | undefined)[]): ParallelismTable | undefined {
  const sum = (left: readonly number[], right: readonly number[]): number[] =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, at) => (left[at] ?? 0) + (right[at] ?? 0));
  return all.reduce((left, right) =>
    left && right
      ? {
          running: sum(left.running, right.running),
          waits: sum(left.waits, right.waits),
          waited: sum(left.waited, right.waited),
          renamedBlocks: left.renamedBlocks + right.renamedBlocks,
          renamedStacks: left.renamedStacks + right.renamedStacks,
        }
      : undefined,
  );
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkParallelism(value: unknown): void {
  const isCount = (one: unknown): boolean => Number.isFinite(one) && (one as number) >= 0;
  const areCounts = (list: unknown): list is unknown[] => Array.isArray(list) && list.every(isCount);
  const { running, waits, waited, renamedBlocks, renamedStacks } = (value ?? {}) as Partial<
    Record<keyof ParallelismTable, unknown>
  >;
  const areLists = [running, waits, waited].every(areCounts);
  const ofCauses = [waits, waited].every((list) => Array.isArray(list) && list.length === WAIT_CAUSES);
  if (!areLists || !ofCauses || !isCount(renamedBlocks) || !isCount(renamedStacks))
    throw new ProfileError(
      'parallelism of the profile',
      HEADER_BYTES,
      `counts by threads and by ${WAIT_CAUSES} causes`,
      'something else',
    );
}
