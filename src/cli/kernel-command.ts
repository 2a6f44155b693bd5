// Stage: command line. `dprof kernel`: a question in a few lines of TypeScript about the references of a trace.

import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { askProcess } from '../kernel/kernel-process.js';
import { isNative, withKernelLibrary, type NativeKernel } from '../kernel/native-kernel.js';
import { runKernel } from '../kernel/run-kernel.js';
import { spellRows } from '../report/plain-table.js';
import { INSTALLATION } from './installation.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { withScanProgress } from './progress.js';
import { StandardOutput, terminalWidth } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface KernelFlags extends ReplayFlags {
  readonly format: 'text' | 'json';
  readonly limit: string;
}

/** Of workers/native-kernel.ts. */
export interface NativeKernelTask {
  readonly kernel: NativeKernel;
  readonly paths: readonly string[];
  readonly request: ReplayRequest;
}

export function addKernelCommand(program: Command): void {
  const command = program
    .command('kernel')
    .description('run a kernel of your own, a few lines of TypeScript or C, over every reference of a trace')
    .argument('<file>', 'TypeScript, JavaScript, C or C++ with a kernel (docs/kernels.md)')
    .argument('<traces...>', TRACES)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--limit <seconds>', 'a batch that takes longer is given up', '60');
  addWindowedReplayFlags(command).action(async (file: string, traces: readonly string[], flags: KernelFlags) => {
    const mostSeconds = Number(flags.limit);
    if (!(mostSeconds > 0 && mostSeconds <= 86_400))
      throw new DprofError(`--limit: '${flags.limit}' is no number of seconds`, 'for example --limit 600', 2);
    const request = parseReplayFlags(flags);
    const scanned = { rows: 0 };
    const asked = { file, mostSeconds, scanned, request };
    await withScanProgress(scanned, async (answers) => {
      const answer = await withTraceFiles(traces, (paths) => (isNative(file) ? runInC : runInScript)(paths, asked));
      answers();
      const output = new StandardOutput();
      output.write(spell(answer, file, flags.format));
      output.flush();
    });
  });
}

interface AskedKernel {
  readonly file: string;
  readonly mostSeconds: number;
  readonly scanned: { rows: number };
  readonly request: ReplayRequest;
}

function runInC(paths: readonly string[], { file, mostSeconds, scanned, request }: AskedKernel): Promise<unknown> {
  if (request.engine === 'ts')
    throw new DprofError('a kernel in C needs the native engine', 'leave out --engine ts', 2);
  const onRows = (rows: number): void => void (scanned.rows = rows);
  // Another process finds a file without a name where this one has it.
  const here = (path: string): string => path.replace(/^\/proc\/self(?=\/fd\/)/, `/proc/${process.pid}`);
  return withKernelLibrary(file, join(INSTALLATION, 'runtime/include'), (kernel) => {
    const task: NativeKernelTask = { kernel, paths: paths.map(here), request };
    return askProcess('native-kernel', task, { file, mostSeconds, onRows });
  });
}

async function runInScript(
  paths: readonly string[],
  { file, mostSeconds, scanned, request }: AskedKernel,
): Promise<unknown> {
  const { input } = await streamInput(paths, request);
  const { engine, workers } = request;
  const onRows = (count: number): void => void (scanned.rows += count);
  return runKernel(input, { file, engine, workers, mostSeconds, onRows });
}

/** Rows as a table, text as it is, anything else as JSON has it. */
function spell(answer: unknown, file: string, format: 'text' | 'json'): string {
  const plain = answer instanceof Map ? [...answer].map(([key, count]) => ({ key, count })) : answer;
  if (format === 'text' && typeof plain === 'string') return plain.endsWith('\n') ? plain : `${plain}\n`;
  try {
    if (format === 'text' && isRows(plain)) return spellRows(plain, terminalWidth());
    return `${JSON.stringify(plain ?? null, null, 1)}\n`;
  } catch (error) {
    const [why] = (error as Error).message.split('\n');
    throw new DprofError(`${file}: JSON cannot say its answer: ${why}`, 'answer with rows, text, or what JSON has');
  }
}

function isRows(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  );
}
