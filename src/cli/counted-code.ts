// Stage: command line. A trace -> the machine code of its program's files, with how often each block ran.

import { DprofError } from '../base/dprof-error.js';
import { countBlocks, type CountedBlock } from '../blocks/block-executions.js';
import { countExecutions } from '../blocks/record-executions.js';
import { unitRecords } from '../blocks/unit-records.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { priceBlocks } from './block-prices.js';
import { readCode } from './code-blocks.js';
import type { ReplayRequest } from './machine-options.js';
import { machinesFor } from './replay-trace.js';

/** A plain body, in an ELF file. */
export interface CountedCode {
  readonly function: string;
  readonly file: string;
  readonly blocks: readonly CountedBlock[];
  /** From addresses to places in the file: to be added. */
  readonly offset: number;
}

export interface ProgramCode {
  readonly functions: readonly CountedCode[];
  /** Files of which nothing could be read. */
  readonly unread: readonly string[];
  /** Of the trace's records, which its clock counts: all, and those of blocks that are counted. */
  readonly recordedInstructions: number;
  readonly countedInstructions: number;
}

type CodeRequest = Pick<ReplayRequest, 'machines' | 'schedule' | 'engine'>;

export async function codeOfTrace(
  trace: OpenedTrace,
  { machines, schedule, engine }: CodeRequest,
): Promise<ProgramCode> {
  if (trace.processes !== undefined)
    throw new DprofError('machine code is counted of one process', 'name the trace of one', 2);
  const [machine] = machinesFor(trace, machines);
  const counts = await countExecutions(replayInput(trace, machine, schedule), engine);
  const first = unitRecords(trace.modules);
  const unread: string[] = [];
  const functions = trace.modules.flatMap(({ path }, module) => {
    const code = readCode(path) ?? [];
    if (code.length === 0) unread.push(path);
    return code.flatMap((one): CountedCode[] => {
      const blocks = countBlocks(one, first[module], counts);
      return blocks === null ? [] : [{ function: one.name, file: path, blocks, offset: one.offset - one.address }];
    });
  });
  if (functions.length === 0)
    throw new DprofError(
      `${trace.path}: nothing says which machine code its records are of: no probes, or no symbols, in ` +
        trace.modules.map(({ path }) => path).join(', '),
      'compile with dprof-cc -fdprof-blocks, record again, and keep the files as they ran (docs/program-blocks.md)',
    );
  const { instructions } = trace.catalog.records;
  const sumOf = (records: Iterable<number>): number => {
    let sum = 0;
    for (const record of records) sum += counts.made[record] * instructions[record];
    return sum;
  };
  const counted = functions.flatMap(({ blocks }) => blocks.filter(({ executions }) => executions !== null));
  return {
    functions,
    unread,
    recordedInstructions: sumOf(counts.made.keys()),
    countedInstructions: sumOf(new Set(counted.flatMap(({ records }) => records))),
  };
}

/** Cycles of a recorded instruction where nothing misses, to two digits: what the program's blocks take. */
export async function measuredCpi(trace: OpenedTrace, request: CodeRequest): Promise<number> {
  const { functions, countedInstructions } = await codeOfTrace(trace, request);
  const blocks = functions.flatMap((one) => one.blocks.filter(({ executions }) => (executions ?? 0) > 0));
  const priceOf = await priceBlocks(blocks);
  const cycles = blocks.reduce((sum, block) => sum + block.executions! * priceOf(block).cycles, 0);
  return Number((cycles / Math.max(1, countedInstructions)).toFixed(2));
}
