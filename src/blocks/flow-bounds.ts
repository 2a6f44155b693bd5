// Stage: trace -> blocks. How often a block that nobody counted ran at most: no more often than all that leads there, and
// than all that it leads to.

import type { CodeBlock } from './machine-code.js';

/** A bound may follow from another one; long chains of them are cut short, which leaves a bound looser. */
const ROUNDS = 32;

/** By block; the count itself where it is known. `targets`: of CodeFunction. */
export function atMost(
  blocks: readonly CodeBlock[],
  executions: readonly (number | null)[],
  targets: readonly number[],
): number[] {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const into: number[][] = blocks.map(() => []);
  const out = blocks.map(({ next }, from) =>
    next.flatMap((address) => {
      const to = index.get(address);
      if (to === undefined) return [];
      into[to].push(from);
      return [to];
    }),
  );
  const isJumpedTo = new Set(blocks.some(({ isJump }) => isJump) ? targets : []);
  const most = executions.map((count) => count ?? Infinity);
  for (let round = 0, isNew = true; round < ROUNDS && isNew; round++) {
    isNew = false;
    for (const [block, { address, leaves }] of blocks.entries()) {
      if (executions[block] !== null) continue;
      const sum = (others: readonly number[]): number => others.reduce((all, other) => all + most[other], 0);
      const came = into[block].length === 0 || isJumpedTo.has(address) ? Infinity : sum(into[block]);
      const left = leaves ? Infinity : sum(out[block]);
      const bound = Math.min(most[block], came, left);
      if (bound < most[block]) [most[block], isNew] = [bound, true];
    }
  }
  return most;
}
