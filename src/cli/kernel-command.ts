// Stage: command line. `dprof kernel`: a question in a few lines of TypeScript about the references of a trace.

import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { isNative, runNativeKernel } from '../kernel/native-kernel.js';
import { runKernel } from '../kernel/run-kernel.js';
import { spellRows } from '../report/plain-table.js';
import { INSTALLATION } from './installation.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { withScanProgress } from './progress.js';
import { StandardOutput, terminalWidth } from './standard-output.js';
import { streamInput } from './stream-input.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface KernelFlags extends ReplayFlags {
  readonly format: 'text' | 'json';
  readonly limit: string;
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
    await withScanProgress(scanned, async (answers) => {
      const answer = await withTraceFiles(traces, async (paths) => {
        const { input } = await streamInput(paths, request);
        const { engine, workers } = request;
        if (isNative(file)) {
          if (engine === 'ts')
            throw new DprofError('a kernel in C needs the native engine', 'leave out --engine ts', 2);
          return runNativeKernel(input, file, join(INSTALLATION, 'runtime/include'), workers);
        }
        const onRows = (count: number): void => void (scanned.rows += count);
        return runKernel(input, { file, engine, workers, mostSeconds, onRows });
      });
      answers();
      const output = new StandardOutput();
      output.write(spell(answer, flags.format));
      output.flush();
    });
  });
}

/** Rows as a table, text as it is, anything else as JSON has it. */
function spell(answer: unknown, format: 'text' | 'json'): string {
  const plain = answer instanceof Map ? [...answer].map(([key, count]) => ({ key, count })) : answer;
  if (format === 'text') {
    if (typeof plain === 'string') return plain.endsWith('\n') ? plain : `${plain}\n`;
    if (isRows(plain)) return spellRows(plain, terminalWidth());
  }
  return `${JSON.stringify(plain ?? null, null, 1)}\n`;
}

function isRows(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  );
}
