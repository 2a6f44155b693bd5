// Stage: trace -> blocks. How often a block that nobody counted ran at most: no more often than all that leads there,
// and than all that it leads to.

import type { KnownFlow } from './flow.js';
import type { CodeBlock } from './machine-code.js';

/** A bound may follow from another one; long chains of them are cut short, which leaves a bound looser. */
const ROUNDS = 32;

/** By block; the count itself where it is known. */
export function atMost(
  blocks: readonly CodeBlock[],
  executions: readonly (number | null)[],
  { edges, targets, others }: Omit<KnownFlow, 'copies'>,
): number[] {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  // Of each way, from where to where, and how often it was gone at most.
  const into: (readonly [block: number, most: number])[][] = blocks.map(() => []);
  const out = blocks.map(({ next }, from) =>
    next.flatMap((address, way) => {
      const to = index.get(address);
      if (to === undefined) return [];
      const most = edges(from, way)?.most ?? Infinity;
      into[to].push([from, most]);
      return [[to, most] as const];
    }),
  );
  const isJumpedTo = new Set(blocks.some(({ isJump }) => isJump) ? targets : []);
  const most = executions.map((count) => count ?? Infinity);
  for (let round = 0, isNew = true; round < ROUNDS && isNew; round++) {
    isNew = false;
    for (const [block, { address, leaves }] of blocks.entries()) {
      if (executions[block] !== null) continue;
      const sum = (ways: readonly (readonly [number, number])[], besides: number | null): number =>
        ways.reduce((all, [other, own]) => all + Math.min(own, most[other]), besides ?? Infinity);
      const came =
        into[block].length === 0 || isJumpedTo.has(address) ? Infinity : sum(into[block], others.into[block]);
      const left = leaves || out[block].length === 0 ? Infinity : sum(out[block], others.out[block]);
      const bound = Math.min(most[block], came, left);
      if (bound < most[block]) [most[block], isNew] = [bound, true];
    }
  }
  return most;
}

/** No less often than the ways to it, and from it, were gone for certain. */
export function atLeast(
  blocks: readonly CodeBlock[],
  executions: readonly (number | null)[],
  { edges, others }: Pick<KnownFlow, 'edges' | 'others'>,
): number[] {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const into = blocks.map(() => 0);
  const out = blocks.map(({ next, leaves }, from) => {
    let sum = 0;
    for (const [way, address] of next.entries()) {
      const to = index.get(address);
      if (to === undefined) continue;
      const isOnlyWay = next.length === 1 && !leaves;
      const [count, besides] = [executions[from], others.out[from]];
      const least = isOnlyWay && count !== null && besides !== null ? count - besides : (edges(from, way)?.least ?? 0);
      into[to] += least;
      sum += least;
    }
    return sum;
  });
  return executions.map((count, block) => count ?? Math.max(into[block], out[block]));
}
