// Stage: command line. The machine code of a trace's program, with how often each block ran and what it costs.

import type { CountedBlock } from '../blocks/block-executions.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { BlockPrice } from '../views/block-costs.js';
import { priceBlocks } from './block-prices.js';
import { codeOfTrace, type CodeRequest, type CountedCode, type ProgramCode } from './counted-code.js';

export interface PricedCode extends ProgramCode {
  /** `functions`, without the blocks that did not run. */
  readonly executed: readonly CountedCode[];
  readonly priceOf: (block: CountedBlock) => BlockPrice;
}

/** Runs the code here. */
export async function priceTrace(trace: OpenedTrace, request: CodeRequest): Promise<PricedCode> {
  const code = await codeOfTrace(trace, request);
  const executed = code.functions.map((one) => ({
    ...one,
    blocks: one.blocks.filter(({ executions }) => executions !== 0),
  }));
  const priceOf = await priceBlocks(executed.flatMap(({ blocks }) => blocks));
  return { ...code, executed, priceOf };
}

/** Cycles of a recorded instruction where nothing misses, to two digits: what the program's blocks take. */
export function measuredCpi({ executed, countedInstructions, priceOf }: PricedCode): number {
  let cycles = 0;
  for (const { blocks } of executed)
    for (const block of blocks) cycles += (block.executions ?? 0) * priceOf(block).cycles;
  return Number((cycles / Math.max(1, countedInstructions)).toFixed(2));
}
