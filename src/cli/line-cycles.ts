// Stage: command line. Priced machine code -> cycles that the instructions of each source line and function take: the
// debug information says where the bytes of blocks belong.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { sumLineCycles, type CodeCycles, type PlacedCycles } from '../views/line-cycles.js';
import type { Cpi } from '../views/view.js';
import { codeOfFiles } from './code-of-files.js';
import type { ReplayRequest } from './machine-options.js';
import { measuredCpi, type PricedCode } from './priced-code.js';

/** A block with less of all cycles is on the line of its first instruction. */
const LEAST_SHARE = 0.0001;

interface PlacedByte extends PlacedCycles {
  /** The function whose machine code it is. */
  readonly within: string;
}

interface PlacedBlock {
  /** As other views call it. */
  readonly function: string;
  readonly file: string;
  /** In the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Of all its executions. */
  readonly cycles: number;
}

export function lineCyclesOf(code: PricedCode, profile: Profile): CodeCycles {
  return sumLineCycles(profile, placeCode(code));
}

/** Cycles of an instruction and of functions, as the blocks took them here. */
export function measuredTime(code: PricedCode): Cpi {
  const functions = new Map<string, Map<string, number>>();
  for (const { within, function: name, cycles } of placeCode(code)) {
    const own = functions.get(within) ?? new Map<string, number>();
    functions.set(within, own.set(name, (own.get(name) ?? 0) + cycles));
  }
  return { cycles: measuredCpi(code), isMeasured: true, functions };
}

function placeCode({ executed, priceOf }: PricedCode): Iterable<PlacedByte> {
  const blocks = executed.flatMap(({ function: name, file, offset, blocks: own }) =>
    own
      .filter(({ executions }) => executions !== null)
      .map((block): PlacedBlock => {
        const cycles = block.executions! * priceOf(block).cycles;
        return { function: name, file, offset: block.address + offset, bytes: block.code.length / 2, cycles };
      }),
  );
  const all = blocks.reduce((sum, { cycles }) => sum + cycles, 0);
  return placeBlocks(blocks, all * LEAST_SHARE);
}

export function refuseSchedules({ schedules }: ReplayRequest): void {
  if (schedules !== undefined)
    throw new DprofError('--blocks is of a run under one schedule', 'leave out --schedules', 2);
}

/** Each of a block's bytes has as much of its cycles. */
function* placeBlocks(blocks: readonly PlacedBlock[], least: number): Generator<PlacedByte> {
  for (const file of new Set(blocks.map((one) => one.file))) {
    const own = blocks.filter((one) => one.file === file);
    const bytesOf = ({ bytes, cycles }: PlacedBlock): number => (cycles < least ? 1 : bytes) || 1;
    const offsets = own.flatMap((one) => Array.from({ length: bytesOf(one) }, (_, at) => one.offset + at));
    const [{ places }] = codeOfFiles([{ file, offsets: offsets.map((offset) => offset.toString(16)) }]);
    let at = 0;
    for (const one of own) {
      const bytes = bytesOf(one);
      for (const { function: name, within, file: source, line } of places.slice(at, at + bytes))
        yield {
          function: name === within ? one.function : name, // else it is inlined
          within: one.function,
          file: source,
          line,
          cycles: one.cycles / bytes,
        };
      at += bytes;
    }
  }
}
