// Stage: command line. What an execution of a block costs when its data are in the L1: measured here, stretch by
// stretch, as `dprof block` does; where that gives no number, what llvm-mca predicts; where it knows none either, by the
// number of instructions.

import { existsSync } from 'node:fs';
import type { BlockAnswer } from '../blocks/block.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import { hasLlvmMca, predictWithLlvmMca, type Prediction } from '../blocks/llvm-mca.js';
import { measureBlocks } from '../blocks/measure-blocks.js';
import type { BlockPrice } from '../views/block-costs.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';
import { requireNative } from './installation.js';
import { ProgressLine } from './progress.js';

/** Blocks that make up so much of the executed instructions are run; the others hardly cost anything. */
const PRICED = 0.99;

export async function priceBlocks(blocks: readonly CountedBlock[]): Promise<(block: CountedBlock) => BlockPrice> {
  const native = requireNative('blocks');
  const hexes = existsSync(native) ? stretchesOf(blocks) : [];
  let done = 0;
  const progress = new ProgressLine(() => `running ${done} of ${hexes.length} pieces of machine code`);
  try {
    const answers = await measureBlocks(native, hexes, () => void done++);
    const predicted = hasLlvmMca() ? await predictWithLlvmMca(answers.map(({ assembly }) => assembly)) : [];
    const prices = new Map(answers.map((answer, index) => [answer.hex, priceOf(answer, predicted[index])]));
    return (block) => addUp(block, prices);
  } finally {
    progress.stop();
  }
}

type StretchPrice = Pick<BlockPrice, 'measured' | 'predicted' | 'throughput'>;

function priceOf({ status, cycles }: BlockAnswer, prediction: Prediction | undefined): StretchPrice {
  return {
    measured: status === 'measured' ? cycles : null,
    predicted: prediction?.cycles ?? null,
    throughput: prediction?.throughput ?? null,
  };
}

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

/** Jumps and calls cost no less than what the widest processor needs for them. */
function addUp(block: CountedBlock, prices: ReadonlyMap<string, StretchPrice>): BlockPrice {
  const least = block.instructions / WIDEST;
  const sumOf = (part: (price: StretchPrice) => number | null): number | null => {
    let sum = 0;
    for (const stretch of block.stretches) {
      const price = prices.get(stretch);
      const own = price === undefined ? null : part(price);
      if (own === null) return null;
      sum += own;
    }
    return Math.max(sum, least);
  };
  const measured = sumOf((price) => price.measured);
  const predicted = sumOf((price) => price.predicted);
  return {
    measured,
    predicted,
    throughput: sumOf((price) => price.throughput),
    cycles: measured ?? predicted ?? block.instructions * DEFAULT_CPI,
    by: measured !== null ? 'measured' : predicted !== null ? 'llvm-mca' : 'instructions',
  };
}

/** Instructions that a processor of today finishes in a cycle, at most. */
const WIDEST = 6;
