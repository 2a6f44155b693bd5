// Stage: command line. `dprof sample`: hands over to the sampler, prints a summary of what it took, and ends as the
// program did.

import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { summariseSamples } from '../hardware/samples/sample-summary.js';
import { openSamples } from '../hardware/samples/samples-reader.js';
import { renderSampleSummary } from '../hardware/report/sample-summary-text.js';
import { chooseStyle } from '../report/text-style.js';
import { requireNative } from './installation.js';
import { identify, runCollector, wholeNumber } from './run-collector.js';
import { StandardOutput } from './standard-output.js';
import { collectWords } from './repeated-option.js';

interface SampleFlags {
  readonly output?: string;
  readonly event: readonly string[];
  readonly period?: string;
  readonly periodLoads: string;
  readonly periodStores: string;
  readonly latency?: string;
  readonly kernel?: boolean;
  readonly raw?: boolean;
  readonly mostObjects: string;
  readonly seed: string;
  readonly buffer: string;
  readonly trace?: string;
  readonly aslr?: boolean;
  readonly quiet?: boolean;
}

const TOP_TYPES = 10;
const MOST = Number.MAX_SAFE_INTEGER;
const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, K: 1 << 10, M: 1 << 20, G: 1 << 30 };
export function addSampleCommand(program: Command): void {
  program
    .command('sample')
    .description("run a program and sample its loads and stores with the processor's PMU (PEBS, IBS, SPE), by type")
    .usage('[-o FILE] [options] -- PROGRAM [ARGUMENTS...]')
    .argument('<program...>', 'program and its arguments, built with -g or with dprof-cc')
    .option('-o, --output <file>', 'samples to write (default: PROGRAM.dpsamples)')
    .addOption(
      new Option(
        '--event <event>',
        'page-faults, mem:ADDRESS[/LENGTH][:rwx], or a PMU event (cpu/mem-loads,ldlat=30/P); may be repeated',
      )
        .argParser(collectWords)
        .default([], 'loads and stores'),
    )
    .option(
      '--period <n>',
      'with --event: one sample in n (default: 1 for page faults and mem:, else as --period-loads)',
    )
    .option('--period-loads <n>', 'one sample in n loads (IBS and SPE: operations)', '20000')
    .option('--period-stores <n>', 'one sample in n stores', '50000')
    .option('--latency <cycles>', 'only loads of at least so many cycles, if the PMU can tell')
    .option('--kernel', 'sample what the kernel does for the program too')
    .option('--raw', 'keep every single sample, beside the rows')
    .option('--most-objects <n>', 'objects to keep of each type, chosen at random', '65536')
    .option('--seed <n>', 'seed of random choices', '1')
    .option('--buffer <size>', "each processor's ring of samples: a power of two, 4K to 1G", '4M')
    .option('--trace <file>', 'record a trace of the same run (needs dprof-cc)')
    .option('--aslr', 'keep address randomisation on')
    .option('--quiet', 'print no summary')
    .action(async (command: string[], options: SampleFlags) => {
      const output = options.output ?? `${basename(command[0])}.dpsamples`;
      const flags = spellFlags(options);
      const before = identify(output);
      process.exitCode = await runCollector(
        requireNative('sampler'),
        [...flags, '-o', output, '--', ...command],
        `${output}.incomplete is no whole file of samples; run it again`,
      );
      if (!options.quiet && identify(output) !== before) printSummary(output);
    });
}

function printSummary(path: string): void {
  const samples = openSamples(path);
  const output = new StandardOutput();
  try {
    const typed = samples.typed();
    if (typed === null)
      throw new DprofError(
        `${path} has no typed samples`,
        'the sampler and this dprof are of two versions: build both again',
      );
    output.write(
      renderSampleSummary(summariseSamples(typed), {
        top: TOP_TYPES,
        style: chooseStyle(isatty(1) ? process.stdout : {}, process.env),
      }),
    );
  } finally {
    samples.close();
  }
  output.flush();
}

function spellFlags(options: SampleFlags): string[] {
  const { event, period, latency } = options;
  if (period !== undefined && event.length === 0)
    throw new DprofError(
      '--period is that of --event',
      '--period-loads and --period-stores are those of loads and stores',
      2,
    );
  if (latency !== undefined && event.length > 0)
    throw new DprofError('--latency does nothing for --event', 'as part of the event: cpu/mem-loads,ldlat=30/P', 2);
  const numbers: [string, number][] = [
    ['--period-loads', wholeNumber('--period-loads', options.periodLoads, 1, MOST)],
    ['--period-stores', wholeNumber('--period-stores', options.periodStores, 1, MOST)],
    ...(period === undefined ? [] : [['--period', wholeNumber('--period', period, 1, MOST)] as [string, number]]),
    ...(latency === undefined ? [] : [['--latency', wholeNumber('--latency', latency, 1, 65535)] as [string, number]]),
    ['--most-objects', wholeNumber('--most-objects', options.mostObjects, 0, 1e9)],
    ['--seed', wholeNumber('--seed', options.seed, 0, MOST)],
    ['--buffer', parseRing(options.buffer)],
  ];
  return [
    ...event.flatMap((name) => ['--event', name]),
    ...numbers.flatMap(([flag, value]) => [flag, String(value)]),
    ...(options.kernel ? ['--kernel'] : []),
    ...(options.raw ? ['--raw'] : []),
    ...(options.aslr ? ['--aslr'] : []),
    ...(options.trace === undefined ? [] : ['--trace', options.trace, '--recorder', requireNative('recorder')]),
    '--preload',
    requireNative('sampled'),
  ];
}

function parseRing(text: string): number {
  const [, digits, unit] = /^(\d{1,12})([KMG]?)$/.exec(text) ?? [];
  const bytes = Number(digits) * SIZE_UNITS[unit];
  if (bytes >= 4096 && bytes <= 2 ** 30 && Number.isInteger(Math.log2(bytes))) return bytes;
  throw new DprofError(`--buffer: '${text}' is not a power of two from 4K to 1G`, 'for example --buffer 16M', 2);
}
