// Stage: command line. `dprof history`: hands over to the collector, prints what it took, and ends as the program did.

import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { choosePopular, type PopularChoice } from '../hardware/samples/popular-slots.js';
import { openSamples } from '../hardware/samples/samples-reader.js';
import { readHistories } from '../hardware/histories/histories-reader.js';
import { viewHistories } from '../hardware/histories/history-view.js';
import { renderHistories } from '../hardware/report/histories-text.js';
import { renderPopular } from '../hardware/report/popular-text.js';
import { renderJson } from '../report/json.js';
import { chooseStyle } from '../report/text-style.js';
import { requireNative } from './installation.js';
import { identify, runCollector, wholeNumber } from './run-collector.js';
import { StandardOutput } from './standard-output.js';
import { collectWords } from './repeated-option.js';

interface HistoryFlags {
  readonly output?: string;
  readonly type: readonly string[];
  readonly field: readonly string[];
  readonly cover: string;
  readonly width: string;
  readonly registers: string;
  readonly oneIn: string;
  readonly seed: string;
  readonly perSecond: string;
  readonly mostElements: string;
  readonly longest: string;
  readonly sets: string;
  readonly shareLines?: boolean;
  readonly popular?: string;
  readonly topTypes: string;
  readonly topSlots: string;
  readonly trace?: string;
  readonly aslr?: boolean;
  readonly quiet?: boolean;
}

export function addHistoryCommand(program: Command): void {
  program
    .command('history')
    .description('run a program and watch single objects with debug registers, from allocation to free')
    .usage("[-o FILE] --type 'struct packet' [options] -- PROGRAM [ARGUMENTS...]")
    .argument('<program...>', 'program and its arguments, built with -g or with dprof-cc')
    .option('-o, --output <file>', 'histories to write (default: PROGRAM.dphistories)')
    .addOption(
      new Option('--type <name>', 'type of the objects; may be repeated')
        .argParser(collectWords)
        .default([], 'every struct that is allocated'),
    )
    .addOption(
      new Option('--field <path>', 'watch only this field; may be repeated').argParser(collectWords).default([], 'all'),
    )
    .option(
      '--popular <samples>',
      'watch the types that missed the L1 most in these samples, and their most accessed slots',
    )
    .option('--top-types <n>', 'with --popular: number of types', '4')
    .option('--top-slots <n>', 'with --popular: slots of each type', '8')
    .option(
      '--cover <how>',
      'what a set of histories covers: single (every slot) or pairwise (every two slots)',
      'single',
    )
    .option('--width <bytes>', 'bytes that one register watches: 1, 2, 4 or 8', '8')
    .option('--registers <n>', 'debug registers to use: 1 to 4', '4')
    .option('--one-in <n>', 'watch one allocation in n, chosen at random', '4')
    .option('--seed <n>', 'seed of random choices', '1')
    .option('--per-second <n>', 'histories per second, at most; 0: no limit', '0')
    .option('--most-elements <n>', 'let an object go after n accesses; 0: never', '0')
    .option('--longest <ms>', 'let an object go after this time if another one was turned away; 0: never', '1000')
    .option('--sets <n>', 'stop after n sets of each type; 0: when the program ends', '0')
    .option('--share-lines', 'watch two objects that share a cache line, together')
    .option('--trace <file>', 'record a trace of the same run (needs dprof-cc)')
    .option('--aslr', 'keep address randomisation on')
    .option('--quiet', 'print no summary; dprof report FILE prints it later')
    .action(async (command: string[], options: HistoryFlags) => {
      const output = options.output ?? `${basename(command[0])}.dphistories`;
      const popular = options.popular === undefined ? null : readPopular(options.popular, options);
      const flags = spellFlags(options, popular);
      const before = identify(output);
      process.exitCode = await runCollector(
        requireNative('collector'),
        [...flags, '-o', output, '--', ...command],
        `what it had written is in ${output}.incomplete, and can be reported on`,
      );
      if (!options.quiet && popular !== null) printPopular(popular, options.popular as string);
      if (!options.quiet && identify(output) !== before) printHistories(output, 'text', 10);
    });
}

/** What `dprof report` prints of histories. */
export function printHistories(path: string, format: string, top: number): void {
  const view = viewHistories(readHistories(path));
  const output = new StandardOutput();
  if (format === 'json') for (const piece of renderJson(view)) output.write(piece);
  else output.write(renderHistories(view, { top, style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }));
  output.flush();
}

function readPopular(path: string, options: HistoryFlags): PopularChoice {
  if (options.type.length > 0 || options.field.length > 0)
    throw new DprofError('--popular chooses types and slots, and so do --type and --field', 'give one or the other', 2);
  const wishes = {
    types: wholeNumber('--top-types', options.topTypes, 1, 64),
    slots: wholeNumber('--top-slots', options.topSlots, 1, 65_536),
    width: registerWidth(options.width),
  };
  const samples = openSamples(path);
  try {
    const typed = samples.typed();
    if (typed === null)
      throw new DprofError(
        `${path} has samples without types`,
        'dprof sample -o SAMPLES -- PROGRAM takes samples with their types',
      );
    const choice = choosePopular(typed, wishes);
    if (choice.types.length === 0)
      throw new DprofError(
        `${path} has no sample of a struct, union or class whose objects are allocated`,
        "name what to watch: --type 'struct packet'",
      );
    return choice;
  } finally {
    samples.close();
  }
}

function printPopular(popular: PopularChoice, path: string): void {
  const output = new StandardOutput();
  output.write(`${renderPopular(popular, path, chooseStyle(isatty(1) ? process.stdout : {}, process.env))}\n`);
  output.flush();
}

function registerWidth(text: string): number {
  if (['1', '2', '4', '8'].includes(text)) return Number(text);
  throw new DprofError(`--width: '${text}' is not what a register watches`, 'one of 1, 2, 4 and 8 bytes', 2);
}

function spellFlags(options: HistoryFlags, popular: PopularChoice | null): string[] {
  const registers = wholeNumber('--registers', options.registers, 1, 4);
  if (!['single', 'pairwise'].includes(options.cover))
    throw new DprofError(
      `--cover: '${options.cover}' is neither single nor pairwise`,
      'for example --cover pairwise',
      2,
    );
  if (options.cover === 'pairwise' && registers < 2)
    throw new DprofError('--cover pairwise watches two slots at once', '--registers 2 or more', 2);
  if (options.shareLines && registers < 2)
    throw new DprofError('--share-lines watches two objects at once', '--registers 2 or more', 2);
  const numbers: [string, number][] = [
    ['--registers', registers],
    ['--width', registerWidth(options.width)],
    ['--one-in', wholeNumber('--one-in', options.oneIn, 1, 1e9)],
    ['--seed', wholeNumber('--seed', options.seed, 0, Number.MAX_SAFE_INTEGER)],
    ['--per-second', wholeNumber('--per-second', options.perSecond, 0, 1e6)],
    ['--most-elements', wholeNumber('--most-elements', options.mostElements, 0, 1e9)],
    ['--longest', wholeNumber('--longest', options.longest, 0, 1e9)],
    ['--sets', wholeNumber('--sets', options.sets, 0, 1e9)],
  ];
  return [
    ...(popular?.types ?? []).flatMap(({ name, bytes, slots }) => [
      '--type',
      name,
      '--slots-of',
      name,
      String(bytes),
      slots.map(({ offset }) => offset).join(','),
    ]),
    ...options.type.flatMap((name) => ['--type', name]),
    ...options.field.flatMap((path) => ['--field', path]),
    '--cover',
    options.cover,
    ...numbers.flatMap(([flag, value]) => [flag, String(value)]),
    ...(options.shareLines ? ['--share-lines'] : []),
    ...(options.aslr ? ['--aslr'] : []),
    ...(options.trace === undefined ? [] : ['--trace', options.trace, '--recorder', requireNative('recorder')]),
    '--preload',
    requireNative('histories'),
  ];
}
