// Stage: command line. What an execution of a block costs when its data are in the L1: measured here, stretch by
// stretch, as `dprof block` does; where that gives no number, what llvm-mca predicts, as far as its predictions of the
// others hold; else what its instructions cost elsewhere in the program.

import { existsSync } from 'node:fs';
import type { BlockAnswer } from '../blocks/block.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import { hasLlvmMca, predictWithLlvmMca, type Prediction } from '../blocks/llvm-mca.js';
import { measureBlocks } from '../blocks/measure-blocks.js';
import type { BlockPrice } from '../views/block-costs.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';
import { requireNative } from './installation.js';
import { ProgressLine } from './progress.js';

/** Of the executed instructions: a block with less is not run. */
const LEAST_SHARE = 0.0002;

export async function priceBlocks(blocks: readonly CountedBlock[]): Promise<(block: CountedBlock) => BlockPrice> {
  const native = requireNative('blocks');
  const hexes = existsSync(native) ? stretchesOf(blocks) : [];
  let done = 0;
  const progress = new ProgressLine(() => `running ${done} of ${hexes.length} pieces of machine code`);
  try {
    const answers = await measureBlocks(native, hexes, () => void done++);
    const predicted = hasLlvmMca() ? await predictWithLlvmMca(answers.map(({ assembly }) => assembly)) : [];
    const prices = new Map(answers.map((answer, index) => [answer.hex, priceOf(answer, predicted[index])]));
    const parts = new Map(blocks.map((block) => [block, addUp(block, prices)]));
    const factor = factorOf(parts);
    const known = new Map([...parts].map(([block, own]) => [block, priced(own, factor)]));
    const guess = meanOf(known);
    return (block) => known.get(block) ?? { ...UNKNOWN, cycles: block.instructions * guess, by: 'instructions' };
  } finally {
    progress.stop();
  }
}

export type StretchPrice = Pick<BlockPrice, 'measured' | 'predicted' | 'throughput'>;

function priceOf({ status, cycles }: BlockAnswer, prediction: Prediction | undefined): StretchPrice {
  return {
    measured: status === 'measured' ? cycles : null,
    predicted: prediction?.cycles ?? null,
    throughput: prediction?.throughput ?? null,
  };
}

/** Of the blocks that are worth it, each once. */
function stretchesOf(blocks: readonly CountedBlock[]): string[] {
  const all = blocks.reduce((sum, block) => sum + weight(block), 0);
  return [...new Set(blocks.filter((block) => weight(block) >= all * LEAST_SHARE).flatMap((block) => block.stretches))];
}

function weight({ executions, instructions }: CountedBlock): number {
  return (executions ?? 0) * instructions;
}

/** Jumps and calls cost no less than what the widest processor needs for them. */
function addUp(block: CountedBlock, prices: ReadonlyMap<string, StretchPrice>): StretchPrice {
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
  return {
    measured: sumOf((price) => price.measured),
    predicted: sumOf((price) => price.predicted),
    throughput: sumOf((price) => price.throughput),
  };
}

function priced({ measured, predicted, throughput }: StretchPrice, factor: number): BlockPrice | undefined {
  if (measured !== null) return { measured, predicted, throughput, cycles: measured, by: 'measured' };
  if (predicted === null) return undefined;
  return { measured, predicted, throughput, cycles: predicted * factor, by: 'llvm-mca' };
}

/** Of all that is predicted: where less of it was measured, on a busy machine, that says nothing of the rest. */
const LEAST_MEASURED = 0.1;

/** What blocks took, of what was predicted of them: those that have both, all executions together. */
export function factorOf(parts: ReadonlyMap<Pick<CountedBlock, 'executions'>, StretchPrice>): number {
  let [took, said, all] = [0, 0, 0];
  for (const [{ executions }, { measured, predicted }] of parts) {
    const own = (predicted ?? 0) * (executions ?? 0);
    all += own;
    if (measured === null || predicted === null) continue;
    took += measured * (executions ?? 0);
    said += own;
  }
  return said === 0 || said < LEAST_MEASURED * all ? 1 : took / said;
}

const UNKNOWN = { measured: null, predicted: null, throughput: null };

/** Cycles of an instruction, in the mean of the blocks that have a price. */
function meanOf(prices: ReadonlyMap<CountedBlock, BlockPrice | undefined>): number {
  let [cycles, instructions] = [0, 0];
  for (const [block, price] of prices) {
    if (price === undefined) continue;
    cycles += price.cycles * (block.executions ?? 0);
    instructions += weight(block);
  }
  return instructions === 0 ? DEFAULT_CPI : cycles / instructions;
}

/** Instructions that a processor of today finishes in a cycle, at most. */
const WIDEST = 6;
