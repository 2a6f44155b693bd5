// Stage: command line. A trace -> cycles that the instructions of each source line take: its program's blocks, priced,
// and their bytes, which the debug information puts on lines.

import { DprofError } from '../base/dprof-error.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import type { Profile } from '../profile/profile.js';
import { sumLineCycles, type LineCycles, type PlacedCycles } from '../views/line-cycles.js';
import { priceBlocks } from './block-prices.js';
import { codeOfFiles } from './code-of-files.js';
import { codeOfTrace } from './counted-code.js';
import type { ReplayRequest } from './machine-options.js';
import { openFor } from './replay-trace.js';

/** A block with less of all cycles is on the line of its first instruction. */
const LEAST_SHARE = 0.0001;

interface PricedBlock {
  readonly block: CountedBlock;
  readonly file: string;
  /** In the file. */
  readonly offset: number;
  /** Of all its executions. */
  readonly cycles: number;
}

export async function lineCyclesOf(
  paths: readonly string[],
  request: ReplayRequest,
  profile: Profile,
): Promise<LineCycles> {
  const blocks = await priceTrace(paths, request);
  const all = blocks.reduce((sum, { cycles }) => sum + cycles, 0);
  return sumLineCycles(profile, placeBlocks(blocks, all * LEAST_SHARE));
}

export function refuseSchedules({ schedules }: ReplayRequest): void {
  if (schedules !== undefined)
    throw new DprofError('--blocks is of a run under one schedule', 'leave out --schedules', 2);
}

async function priceTrace(paths: readonly string[], request: ReplayRequest): Promise<PricedBlock[]> {
  const { functions } = await codeOfTrace(openFor(paths, request), request);
  const executed = functions.flatMap(({ file, offset, blocks }) =>
    blocks.filter(({ executions }) => (executions ?? 0) > 0).map((block) => ({ file, offset, block })),
  );
  const priceOf = await priceBlocks(executed.map(({ block }) => block));
  return executed.map(({ file, offset, block }) => ({
    block,
    file,
    offset: block.address + offset,
    cycles: block.executions! * priceOf(block).cycles,
  }));
}

/** Each of a block's bytes has as much of its cycles. */
function* placeBlocks(blocks: readonly PricedBlock[], least: number): Generator<PlacedCycles> {
  for (const file of new Set(blocks.map((one) => one.file))) {
    const own = blocks.filter((one) => one.file === file);
    const bytesOf = ({ block, cycles }: PricedBlock): number => (cycles < least ? 1 : block.code.length / 2) || 1;
    const offsets = own.flatMap((one) => Array.from({ length: bytesOf(one) }, (_, at) => one.offset + at));
    const [{ places }] = codeOfFiles([{ file, offsets: offsets.map((offset) => offset.toString(16)) }]);
    let at = 0;
    for (const one of own) {
      const bytes = bytesOf(one);
      for (const { file: source, line } of places.slice(at, at + bytes))
        yield { file: source, line, cycles: one.cycles / bytes };
      at += bytes;
    }
  }
}
