// Stage: trace -> blocks. Kirchhoff's rule on a control flow graph: a block runs as often as it is come to and as it is
// left (Knuth and Stevenson, Optimal measurement points for program frequency counts, BIT 1973).

import type { CodeBlock } from './machine-code.js';

/** One end of a block: what comes in, or what goes out. */
interface End {
  readonly block: number;
  readonly edges: readonly number[];
  /** There may be more edges than these. */
  readonly isOpen: boolean;
}

/** `known`: by block, null where nobody knows. The same with what follows. */
export function solveFlow(blocks: readonly CodeBlock[], known: readonly (number | null)[]): (number | null)[] {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const into: number[][] = blocks.map(() => []);
  const out: number[][] = blocks.map(() => []);
  let edges = 0;
  for (const [from, { next }] of blocks.entries())
    for (const address of next) {
      const to = index.get(address);
      if (to === undefined) continue;
      out[from].push(edges);
      into[to].push(edges++);
    }
  const jumps = blocks.some(({ isJump }) => isJump);
  const ends: End[] = blocks.flatMap(({ leaves }, block) => [
    // Its begin may be come to from elsewhere: by a call, by an exception, by a jump that nobody can follow.
    { block, edges: into[block], isOpen: jumps || into[block].length === 0 },
    { block, edges: out[block], isOpen: leaves || out[block].length === 0 },
  ]);
  return new Deduction(known, edges, ends).run();
}

class Deduction {
  private readonly blocks: (number | null)[];
  private readonly edges: (number | null)[];

  constructor(
    known: readonly (number | null)[],
    edges: number,
    private readonly ends: readonly End[],
  ) {
    this.blocks = [...known];
    this.edges = Array.from({ length: edges }, () => null);
  }

  run(): (number | null)[] {
    while (this.ends.map((end) => this.deduce(end)).includes(true));
    return this.blocks;
  }

  /** Whether it said something new. */
  private deduce({ block, edges, isOpen }: End): boolean {
    if (isOpen) return false;
    const unknown = edges.filter((edge) => this.edges[edge] === null);
    let sum = 0;
    for (const edge of edges) sum += this.edges[edge] ?? 0;
    const count = this.blocks[block];
    if (count === null) {
      if (unknown.length > 0) return false;
      this.blocks[block] = sum;
      return true;
    }
    // What does not add up (a call that did not return) says nothing.
    const isFound = unknown.length === 1 && count >= sum;
    if (isFound) this.edges[unknown[0]] = count - sum;
    return isFound;
  }
}
