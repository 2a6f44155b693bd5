// Stage: trace -> blocks. Kirchhoff's rule on a control flow graph: a block runs as often as it is come to and as it is
// left (Knuth and Stevenson, Optimal measurement points for program frequency counts, BIT 1973).

import type { EdgeCounts } from './edge-counts.js';
import type { CodeBlock } from './machine-code.js';
import type { OtherWays } from './other-ways.js';

/** One end of a block: what comes in, or what goes out. */
interface End {
  readonly block: number;
  readonly edges: readonly number[];
  /** Besides. */
  readonly others: number;
  /** There may be more than these. */
  readonly isOpen: boolean;
}

/** Blocks that ran so often together: copies of one place in the program. */
export interface Copies {
  readonly blocks: readonly number[];
  readonly executions: number;
}

export interface KnownFlow {
  readonly copies: readonly Copies[];
  readonly edges: EdgeCounts;
  /** Of CodeFunction. */
  readonly targets: readonly number[];
  readonly others: OtherWays;
}

/** How often each block ran; null where it does not follow. */
export function solveFlow(
  blocks: readonly CodeBlock[],
  { copies, edges: edgeCount, targets, others }: KnownFlow,
): (number | null)[] {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const into: number[][] = blocks.map(() => []);
  const out: number[][] = blocks.map(() => []);
  const edges: (number | null)[] = [];
  for (const [from, { next }] of blocks.entries())
    for (const [way, address] of next.entries()) {
      const to = index.get(address);
      if (to === undefined) continue;
      out[from].push(edges.length);
      into[to].push(edges.length);
      const range = edgeCount(from, way);
      edges.push(range !== null && range.least === range.most ? range.least : null);
    }
  // A block may be come to from elsewhere: by a call, by an exception, by a jump to a computed address.
  const jumps = blocks.some(({ isJump }) => isJump);
  const known = new Set(targets);
  const isTarget = ({ address }: CodeBlock): boolean => jumps && (known.size === 0 || known.has(address));
  const ends: End[] = blocks.flatMap(({ leaves }, block) => [
    endOf(block, into[block], others.into, isTarget(blocks[block])),
    endOf(block, out[block], others.out, leaves),
  ]);
  return new Deduction(blocks.length, edges, ends, copies).run();
}

function endOf(block: number, edges: readonly number[], others: OtherWays['into'], isOpen: boolean): End {
  return { block, edges, others: others[block] ?? 0, isOpen: isOpen || edges.length === 0 || others[block] === null };
}

class Deduction {
  private readonly blocks: (number | null)[];

  constructor(
    blocks: number,
    private readonly edges: (number | null)[],
    private readonly ends: readonly End[],
    private readonly copies: readonly Copies[],
  ) {
    this.blocks = Array.from({ length: blocks }, () => null);
  }

  run(): (number | null)[] {
    while (
      [...this.copies.map((same) => this.deduceCopy(same)), ...this.ends.map((end) => this.deduce(end))].includes(true)
    );
    return this.blocks;
  }

  private deduceCopy({ blocks, executions }: Copies): boolean {
    const unknown = blocks.filter((block) => this.blocks[block] === null);
    let others = 0;
    for (const block of blocks) others += this.blocks[block] ?? 0;
    // Records of one block may differ by executions that a call ended: the first that is asked decides.
    const left = executions - others;
    const isFound = unknown.length === 1 ? left >= 0 : unknown.length > 0 && left === 0;
    if (isFound) for (const block of unknown) this.blocks[block] = left;
    return isFound;
  }

  /** Whether it said something new. */
  private deduce({ block, edges, others, isOpen }: End): boolean {
    const unknown = edges.filter((edge) => this.edges[edge] === null);
    const count = this.blocks[block];
    if (isOpen && count !== 0) return false;
    let sum = others;
    for (const edge of edges) sum += this.edges[edge] ?? 0;
    if (count === null) {
      if (unknown.length > 0) return false;
      this.blocks[block] = sum;
      return true;
    }
    // What does not add up (a call that did not return) says nothing.
    const left = count - sum;
    const isFound = unknown.length === 1 ? left >= 0 : unknown.length > 0 && left === 0;
    if (isFound) for (const edge of unknown) this.edges[edge] = left;
    return isFound;
  }
}
