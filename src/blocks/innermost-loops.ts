// Stage: trace -> blocks. The natural loops of a function that have no other one in them: a block that is on every way
// to another one, which leads back to it, and all that is between the two.

import type { CodeBlock } from './machine-code.js';

/** Each with the block first at which an iteration begins. `targets`: of CodeFunction. */
export function innermostLoops<Block extends CodeBlock>(
  blocks: readonly Block[],
  targets: readonly number[],
): (readonly Block[])[] {
  const graph = graphOf(blocks, targets);
  const dominators = dominatorsOf(graph);
  const loops = new Map<number, Set<number>>(); // by header
  for (const [from, ways] of graph.next.entries())
    for (const header of ways)
      if (isOn(dominators, header, from)) {
        const body = loops.get(header) ?? new Set([header]);
        loops.set(header, body);
        addWays(graph, from, body);
      }
  return [...loops]
    .filter(([header, body]) => [...body].every((block) => block === header || !loops.has(block)))
    .map(([header, body]) => [header, ...[...body].filter((block) => block !== header).sort((a, b) => a - b)])
    .map((body) => body.map((block) => blocks[block]));
}

/** By the blocks' places. */
interface Graph {
  readonly next: readonly (readonly number[])[];
  readonly before: readonly (readonly number[])[];
  /** Blocks that can be come to, each behind all that lead there, but for ways back. */
  readonly order: readonly number[];
}

/**
 * From the function's begin. Handlers of exceptions, to which no way leads, and what only they lead to, have an order
 * of their own: they would be a second way into each loop that they lead back to.
 */
function graphOf(blocks: readonly CodeBlock[], targets: readonly number[]): Graph {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const all = blocks.map(({ next, isJump }) => [
    ...new Set((isJump ? targets : next).flatMap((address) => index.get(address) ?? [])),
  ]);
  const isLedTo = new Set(all.flat());
  const begins = [0, ...blocks.keys()].filter((block) => block === 0 || !isLedTo.has(block));
  const part = blocks.map(() => -1);
  const parts = begins.map((begin, number) => postorder(all, begin, part, number).reverse());
  const next = all.map((ways, from) => ways.filter((to) => part[to] === part[from] && part[from] >= 0));
  const before = blocks.map((): number[] => []);
  for (const [from, ways] of next.entries()) for (const to of ways) before[to].push(from);
  return { next, before, order: parts.flat() };
}

/** Marks what it comes to with `number`, and stops at what has a mark. */
function postorder(next: readonly (readonly number[])[], begin: number, part: number[], number: number): number[] {
  const order: number[] = [];
  if (begin >= part.length || part[begin] >= 0) return order;
  part[begin] = number;
  const path = [{ block: begin, way: 0 }];
  while (path.length > 0) {
    const at = path[path.length - 1];
    const to = next[at.block][at.way++];
    if (to === undefined) {
      order.push(at.block);
      path.pop();
    } else if (part[to] < 0) {
      part[to] = number;
      path.push({ block: to, way: 0 });
    }
  }
  return order;
}

interface Dominators {
  /** The last block before this one that is on every way to it; itself where none is. */
  readonly immediate: Int32Array;
  readonly rank: Int32Array;
}

/** Cooper, Harvey and Kennedy, A simple, fast dominance algorithm, 2001. */
function dominatorsOf({ before, order }: Graph): Dominators {
  const immediate = new Int32Array(before.length).fill(-1);
  const rank = new Int32Array(before.length);
  for (const [at, block] of order.entries()) rank[block] = at;
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const block of order) {
      const known = before[block].filter((other) => immediate[other] >= 0 && rank[other] < rank[block]);
      const others = before[block].filter((other) => immediate[other] >= 0);
      const found = known.length === 0 ? block : others.reduce((one, other) => meet(immediate, rank, one, other));
      if (found === immediate[block]) continue;
      immediate[block] = found;
      isNew = true;
    }
  }
  return { immediate, rank };
}

function meet(immediate: Int32Array, rank: Int32Array, one: number, other: number): number {
  while (one !== other) {
    while (rank[one] > rank[other]) one = immediate[one];
    while (rank[other] > rank[one]) other = immediate[other];
  }
  return one;
}

/** Whether `header` is on every way to `block`. */
function isOn({ immediate, rank }: Dominators, header: number, block: number): boolean {
  let at = block;
  while (rank[at] > rank[header] && immediate[at] >= 0) at = immediate[at];
  return at === header;
}

/** All that leads to `from` without the header, which is in the body. */
function addWays({ before }: Graph, from: number, body: Set<number>): void {
  const ahead = [from];
  for (let block = ahead.pop(); block !== undefined; block = ahead.pop()) {
    if (body.has(block)) continue;
    body.add(block);
    ahead.push(...before[block]);
  }
}
