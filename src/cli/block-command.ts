// Stage: command line. `dprof block`: what basic blocks cost, each run alone.

import { existsSync, readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { isHex, readBlockList, type BlockList, type ListedBlock } from '../blocks/bhive-csv.js';
import { assemble, cutFunction } from '../blocks/block-program.js';
import { blocksReport, type Block, type BlockAnswer } from '../blocks/block.js';
import { hasLlvmMca, predictWithLlvmMca, type Prediction } from '../blocks/llvm-mca.js';
import { measureBlocks } from '../blocks/measure-blocks.js';
import { explainOutcome, renderBlock, renderBlocks } from '../report/block-text.js';
import { codesOf } from './elf-symbols.js';
import { requireNative } from './installation.js';
import { ProgressLine } from './progress.js';
import { StandardOutput, terminalWidth } from './standard-output.js';

interface BlockFlags {
  readonly hex?: readonly string[];
  readonly asm?: string;
  readonly intel?: boolean;
  readonly csv?: string;
  readonly program?: string;
  readonly function?: string;
  readonly models: 'llvm-mca' | 'none';
  readonly format: 'text' | 'json';
}

const DOC = 'docs/blocks.md says what each word means';

export function addBlockCommand(program: Command): void {
  program
    .command('block')
    .description('measure what a basic block of machine code costs: cycles of one execution, run alone')
    .option('--hex <bytes...>', 'blocks, each as hexadecimal bytes')
    .option('--asm <file>', "one block in assembly (AT&T's syntax); -: standard input")
    .option('--intel', "--asm has Intel's syntax")
    .option('--csv <file>', "BHive's format: bytes and a value a line; the value is shown beside what is measured")
    .option('--program <file>', 'with --function: the basic blocks of a function of this ELF file')
    .option('--function <name>', 'as the linker knows it (C++: mangled)')
    .addOption(
      new Option('--models <name>', 'what predicts too, if it is installed')
        .choices(['llvm-mca', 'none'])
        .default('llvm-mca'),
    )
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(runBlockCommand);
}

async function runBlockCommand(flags: BlockFlags): Promise<void> {
  const native = requireNative('blocks');
  const listed = readBlocks(flags, native);
  const blocks = await withProgress(listed.length, async (onBlock) => {
    const hexes = listed.map(({ hex }) => hex);
    const answers = await measureBlocks(native, hexes, onBlock);
    const usesMca = flags.models === 'llvm-mca' && hasLlvmMca();
    const predicted = usesMca ? await predictWithLlvmMca(answers.map(predictable)) : [];
    return answers.map((answer, index) => describe(answer, listed[index], predicted[index]));
  });
  const isMeasured = blocks.some(({ status }) => status === 'measured');
  if (flags.format === 'text' && blocks.length === 1 && !isMeasured)
    throw new DprofError(`${blocks[0].hex.slice(0, 60)}: ${explainOutcome(blocks[0])}`, DOC);
  const output = new StandardOutput();
  if (flags.format === 'json') output.write(`${JSON.stringify(blocksReport(blocks), null, 1)}\n`);
  else if (blocks.length === 1) output.write(renderBlock(blocks[0], terminalWidth()));
  else output.write(renderBlocks(blocks, terminalWidth()));
  output.flush();
  if (!isMeasured) process.exitCode = 1;
}

/** What the processor refuses is no block for a model either. */
function predictable({ status, assembly }: BlockAnswer): readonly string[] {
  return status === 'measured' || status === 'unstable' ? assembly : [];
}

function describe(answer: BlockAnswer, { value }: ListedBlock, predicted: Prediction | undefined): Block {
  const models: Block['models'] = predicted === undefined ? {} : { 'llvm-mca': predicted.cycles };
  if (value === undefined) return { ...answer, models };
  const isComparable = answer.cycles !== null && value > 0;
  return { ...answer, models, value, ...(isComparable && { error: (answer.cycles! - value) / value }) };
}

async function withProgress<T>(all: number, work: (onBlock: () => void) => Promise<T>): Promise<T> {
  let done = 0;
  const line = new ProgressLine(() => `measured ${done} of ${all} blocks`);
  try {
    return await work(() => void done++);
  } finally {
    line.stop();
  }
}

/** The blocks of the one source that is named. */
function readBlocks(flags: BlockFlags, native: string): readonly ListedBlock[] {
  const { hex, asm, csv, program } = flags;
  const sources = [hex, asm, csv, program ?? flags.function].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw new DprofError(
      sources.length === 0 ? 'no block is given' : 'blocks are given in two ways',
      'give one of --hex BYTES, --asm FILE, --csv FILE, or --program FILE --function NAME',
      2,
    );
  if (flags.intel && asm === undefined) throw new DprofError('--intel does nothing without --asm', 'leave it out', 2);
  if (hex !== undefined) return hex.map(parseHex);
  if (asm !== undefined) return [assembleFile(native, asm, flags.intel === true)];
  if (csv !== undefined) return readCsv(csv);
  return blocksOfFunction(native, program, flags.function);
}

function parseHex(word: string): ListedBlock {
  const hex = word.replaceAll(/\s/g, '').toLowerCase();
  if (isHex(hex)) return { hex };
  throw new DprofError(
    `--hex: '${word.slice(0, 40)}' is not hexadecimal bytes`,
    'two digits a byte, for example --hex 4801d8',
    2,
  );
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DprofError(`cannot read ${path} (${code})`, `name a file with ${flag}`, 2);
  }
}

function assembleFile(native: string, path: string, isIntel: boolean): ListedBlock {
  const { hex, problem } = assemble(native, readText(path, '--asm'), isIntel);
  if (problem !== '') throw new DprofError(`${path}: ${problem}`, hintOf(problem, isIntel), 2);
  if (hex === '') throw new DprofError(`${path} has no instruction`, 'write one a line', 2);
  return { hex };
}

function hintOf(problem: string, isIntel: boolean): string {
  if (problem.includes('symbol')) return 'a block has registers, numbers and addresses of these alone';
  return isIntel ? "without --intel, AT&T's syntax is read" : "with --intel, Intel's syntax is read";
}

function readCsv(path: string): readonly ListedBlock[] {
  const list = readBlockList(readText(path, '--csv'));
  if (list.badCount > 0) tellOfBadLines(path, list);
  if (list.blocks.length === 0) throw new DprofError(`${path} has no block`, "a line is 'bytes,value': 4801d8,100", 2);
  return list.blocks;
}

function tellOfBadLines(path: string, { bad, badCount }: BlockList): void {
  const shown = bad.map(({ line, text }) => `${line} ('${text}')`).join(', ');
  const more = badCount > bad.length ? ` and ${badCount - bad.length} more` : '';
  const output = new StandardOutput(2);
  output.write(`dprof: ${path}: no 'bytes,value' in line ${shown}${more}: left out\n`);
  output.flush();
}

function blocksOfFunction(native: string, program: string | undefined, name: string | undefined): ListedBlock[] {
  if (program === undefined || name === undefined)
    throw new DprofError('--program and --function go together', 'dprof block --program ./a.out --function main', 2);
  if (!existsSync(program)) throw new DprofError(`there is no ${program}`, 'name an ELF file with --program', 2);
  const codes = codesOf(program, [name]);
  if (codes === undefined) throw new DprofError(`${program} is no 64-bit ELF file`, 'name the program itself', 2);
  const [found] = codes;
  if (found === null)
    throw new DprofError(`${program} has no function ${name}`, `nm ${program} lists them; C++: as they are mangled`, 2);
  const blocks = cutFunction(native, found.code);
  if (blocks.length === 0) throw new DprofError(`${name} has no basic block`, `nothing but jumps is in it`, 2);
  return blocks.map(({ hex }) => ({ hex }));
}
