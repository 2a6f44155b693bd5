// Stage: command line. What an execution of a block costs when its data are in the L1: measured here, stretch by
// stretch, as `dprof block` does; where that gives no number, what llvm-mca predicts; where it knows none either, by the
// number of instructions.

import { existsSync } from 'node:fs';
import type { BlockAnswer } from '../blocks/block.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import { hasLlvmMca, predictWithLlvmMca } from '../blocks/llvm-mca.js';
import { measureBlocks } from '../blocks/measure-blocks.js';
import type { BlockPrice } from '../views/block-costs.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';
import { requireNative } from './installation.js';
import { ProgressLine } from './progress.js';

/** Only blocks that make up so much of the executed instructions are run: the others hardly cost anything. */
const PRICED = 0.999;

export async function priceBlocks(blocks: readonly CountedBlock[]): Promise<(block: CountedBlock) => BlockPrice> {
  const native = requireNative('blocks');
  const hexes = existsSync(native) ? stretchesOf(blocks) : [];
  let done = 0;
  const progress = new ProgressLine(() => `running ${done} of ${hexes.length} pieces of machine code`);
  try {
    const answers = await measureBlocks(native, hexes, () => void done++);
    const predicted = hasLlvmMca() ? await predictWithLlvmMca(answers.map(({ assembly }) => assembly)) : [];
    const prices = new Map<string, StretchPrice>();
    for (const [index, answer] of answers.entries()) prices.set(answer.hex, priceOf(answer, predicted[index]));
    return (block) => addUp(block, prices);
  } finally {
    progress.stop();
  }
}

type StretchPrice = Pick<BlockPrice, 'cycles' | 'by'>;

function priceOf({ status, cycles, hex }: BlockAnswer, predicted: number | undefined): StretchPrice {
  if (status === 'measured' && cycles !== null) return { cycles, by: 'measured' };
  if (predicted !== undefined) return { cycles: predicted, by: 'llvm-mca' };
  return { cycles: (hex.length / 2 / BYTES) * DEFAULT_CPI, by: 'instructions' };
}

/** Of an instruction, in the mean of x86-64 programs: only where nobody could read the code. */
const BYTES = 4;

/** Each once, those that make up most of the instructions. */
function stretchesOf(blocks: readonly CountedBlock[]): string[] {
  const costly = [...blocks].sort((a, b) => weight(b) - weight(a));
  const all = costly.reduce((sum, block) => sum + weight(block), 0);
  const asked = new Set<string>();
  let seen = 0;
  for (const block of costly) {
    if (seen >= all * PRICED) break;
    seen += weight(block);
    for (const stretch of block.stretches) asked.add(stretch);
  }
  return [...asked];
}

function weight({ executions, instructions }: CountedBlock): number {
  return (executions ?? 0) * instructions;
}

/** Jumps and calls themselves cost what any instruction does. */
function addUp(block: CountedBlock, prices: ReadonlyMap<string, StretchPrice>): BlockPrice {
  let cycles = 0;
  let by: BlockPrice['by'] = 'measured';
  for (const stretch of block.stretches) {
    const price = prices.get(stretch);
    if (price === undefined) return { cycles: block.instructions * DEFAULT_CPI, by: 'instructions', throughput: null };
    cycles += price.cycles;
    if (price.by !== 'measured') ({ by } = price);
  }
  return { cycles: Math.max(cycles, WIDEST * block.instructions), by, throughput: WIDEST * block.instructions };
}

/** Cycles of an instruction that nothing holds up: processors finish four to eight in a cycle. */
const WIDEST = 1 / 6;
