// Stage: profile -> views. Machine blocks of the program's own code: how often each ran, and what an execution costs,
// by its instructions and by its misses. It is of a trace and of the program's file, not of a profile alone:
// docs/program-blocks.md.

import type { LevelName } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import type { BlockCost, Bound, CountedFunction } from './block-costs.js';
import { joinLoops } from './block-loops.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';

/** A block, or an innermost loop of several. */
export interface BlockRow extends BlockPart {
  /** As other views call it, and as the linker spells it. */
  readonly function: string;
  readonly symbol: string;
  /** The ELF file. */
  readonly module: string;
  /** 1, or those of the loop that ran: `parts`, the one first at which an iteration begins, as `address` does. */
  readonly blocks: number;
  readonly parts: readonly BlockPart[];
}

export interface BlockPart {
  /** FILE:LINE; where nobody knows it, FUNCTION+OFFSET. */
  readonly site: string;
  /** In the ELF file and in the function, hexadecimal. */
  readonly address: string;
  readonly offset: string;
  /** Hexadecimal; of a loop, that of its blocks in the order of their addresses. */
  readonly code: string;
  /** At least; and at most, the same where it is exact. Of a loop: iterations. */
  readonly executions: number;
  readonly executionsAtMost: number;
  /** Of one execution, as all below but `cycles`. */
  readonly instructions: number;
  /** Its data in the L1: as measured, or else predicted, or else guessed; and both, null where there is none. */
  readonly computeCycles: number;
  readonly measuredCycles: number | null;
  readonly predictedCycles: number | null;
  readonly pricedBy: BlockCost['price']['by'];
  readonly misses: Readonly<Record<LevelName, number>>;
  readonly missCycles: Readonly<Record<LevelName, number>>;
  readonly waitCycles: number;
  readonly type: string | null;
  readonly bound: Bound;
  /** It may follow itself. */
  readonly isLoop: boolean;
  /** Estimated, of all executions. */
  readonly cycles: number;
}

export interface CodeCoverage {
  /** Executed, of blocks that are counted: of those that are not to the last execution, at least. */
  readonly instructions: number;
  /** Further ones, at most. */
  readonly uncountedInstructions: number;
  readonly blocks: number;
  readonly uncountedBlocks: number;
  readonly functions: number;
  /** Of the recorded instructions, which the trace's clock counts: those in counted blocks, and all. */
  readonly countedRecorded: number;
  readonly recorded: number;
  readonly unread: readonly UnreadFile[];
}

/** An ELF file of the run whose blocks have no rows, and why. */
export interface UnreadFile {
  readonly file: string;
  readonly reason: 'built-anew' | 'missing' | 'unknown-folder' | 'unreadable' | 'no-probes';
}

export interface Blocks extends View<BlockRow> {
  readonly code: CodeCoverage;
  /** Of all counted blocks: computing and waiting. */
  readonly cycles: { readonly compute: number; readonly wait: number };
}

/** Less than this share of instructions and of cycles is left out. */
const LEAST_SHARE = 0.001;

/** `sitesOf`: where those that become rows stand in the source. */
export function buildBlocks(
  profile: Profile,
  costs: readonly BlockCost[],
  code: CodeCoverage,
  sitesOf: (costs: readonly BlockCost[]) => readonly (string | null)[],
): Blocks {
  const cycles = { compute: 0, wait: 0 };
  for (const { executions, price, waitCycles } of costs) {
    cycles.compute += executions * price.cycles;
    cycles.wait += executions * waitCycles;
  }
  const all = cycles.compute + cycles.wait;
  const costly = joinLoops(costs)
    .filter(
      (cost) =>
        cost.cycles >= all * LEAST_SHARE || cost.executions * cost.instructions >= code.instructions * LEAST_SHARE,
    )
    .sort((a, b) => b.cycles - a.cycles || a.block.address - b.block.address);
  const asked = costly.flatMap((cost) => [cost, ...cost.parts]);
  const sites = sitesOf(asked);
  const siteOf = new Map(asked.map((cost, index) => [cost, sites[index]]));
  return {
    ...wrapRows(
      profile,
      'blocks',
      costly.map((cost) => rowOf(cost, (of) => siteOf.get(of)!)),
    ),
    code,
    cycles,
  };
}

type SiteOf = (cost: BlockCost) => string | null;

function rowOf(cost: BlockCost, siteOf: SiteOf): BlockRow {
  const { of, parts } = cost;
  return {
    function: of.function,
    symbol: of.symbol,
    module: of.file,
    ...partOf(cost, siteOf),
    blocks: Math.max(1, parts.length),
    parts: parts.map((part) => partOf(part, siteOf)),
  };
}

function partOf(cost: BlockCost, siteOf: SiteOf): BlockPart {
  const { of, block, parts, price, misses, missCycles, waitCycles, type, bound, executions, instructions, cycles } =
    cost;
  const offset = `0x${(block.address - of.address).toString(16)}`;
  const inOrder = [...parts].sort((a, b) => a.block.address - b.block.address);
  return {
    site: siteOf(cost) ?? `${of.function}+${offset}`,
    address: `0x${block.address.toString(16)}`,
    offset,
    code: parts.length === 0 ? block.code : inOrder.map((part) => part.block.code).join(''),
    executions,
    executionsAtMost: Number.isFinite(block.atMost) ? block.atMost : executions,
    instructions,
    computeCycles: price.cycles,
    measuredCycles: price.measured,
    predictedCycles: price.predicted,
    pricedBy: price.by,
    misses,
    missCycles,
    waitCycles,
    type,
    bound,
    isLoop: parts.length > 0 || block.next.includes(block.address),
    cycles,
  };
}

/** What is counted, and at most how much is not. */
export function coverageOf(
  functions: readonly CountedFunction[],
  { unread, countedRecorded, recorded }: Pick<CodeCoverage, 'unread' | 'countedRecorded' | 'recorded'>,
): CodeCoverage {
  let [instructions, uncountedInstructions, blocks, uncountedBlocks] = [0, 0, 0, 0];
  for (const { blocks: own } of functions) {
    const most = Math.max(0, ...own.map(({ executions }) => executions ?? 0));
    for (const block of own) {
      blocks++;
      const executions = block.executions ?? 0;
      instructions += executions * block.instructions;
      if (block.executions === block.atMost) continue;
      uncountedBlocks++;
      uncountedInstructions += block.instructions * (Math.max(executions, Math.min(block.atMost, most)) - executions);
    }
  }
  return {
    instructions,
    uncountedInstructions,
    blocks,
    uncountedBlocks,
    functions: functions.length,
    countedRecorded,
    recorded,
    unread,
  };
}
