// Stage: command line. `dprof dump`: a trace as text; with --references its accesses in replay order.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { checkSchedule } from '../dump/issued-steps.js';
import { dumpReferences, type ReferenceFormat } from '../dump/reference-text.js';
import { dumpSamples } from '../hardware/report/sample-lines.js';
import { dumpTrace } from '../dump/trace-text.js';
import { dumpHistories } from '../hardware/report/history-lines.js';
import { hasValues } from '../dump/value-lines.js';
import { SAMPLES_MAGIC } from '../hardware/samples/samples-format.js';
import { openSamples } from '../hardware/samples/samples-reader.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import { readHistories } from '../hardware/histories/histories-reader.js';
import { resolveMachine } from '../machine/parse-machine.js';
import type { ReplayInput } from '../contract/input.js';
import { replayInput } from '../replay/open-trace.js';
import { defaultCores, type MapName } from '../replay/recorded-cpus.js';
import {
  addReplayFlags,
  onlyMachine,
  parseReplayFlags,
  refuseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { openFor } from './replay-trace.js';
import { spellSchedule } from '../replay/schedule.js';
import { formatCount, plural } from '../base/format-number.js';
import { hasMagic } from './has-magic.js';
import { StandardOutput } from './standard-output.js';
import { TRACES, withTraceFiles } from './trace-source.js';

interface DumpFlags extends ReplayFlags {
  references?: boolean;
  values?: boolean;
  checkOrder?: boolean;
  din?: boolean;
  lackey?: boolean;
  core?: string;
}

/** The formats of --references. */
const FORMATS = ['values', 'din', 'lackey'] as const;

const REFERENCES_HINT = 'add --references: accesses in replay order';

export function addDumpCommand(program: Command): void {
  const command = program
    .command('dump')
    .description('print a trace, samples or histories as text')
    .argument('<traces...>', `${TRACES}; or one file of samples or histories`)
    .option('--references', 'print accesses in replay order, one per line: core, kind (r, w, a), address, size')
    .option('--values', 'with --references: print the value of each access, and arguments of functions as lines (p)')
    .option('--din', "with --references: print Dinero's din format, one line for each cache line")
    .option('--lackey', "with --references: print the format of valgrind's lackey")
    .option('--core <n>', 'with --references: only accesses of this core');
  command.option('--check-order', 'check that the schedule keeps recorded happens-before; status 1 if it does not');
  addReplayFlags(command).action(async (files: readonly string[], options: DumpFlags) => {
    if (options.checkOrder && options.references)
      throw new DprofError('--check-order prints no references', 'give one of --check-order and --references', 2);
    if (options.schedules !== undefined)
      throw new DprofError('--schedules does nothing here: a dump is of one order', 'name it: --schedule random:1', 2);
    if (!options.references) {
      const alone = [...FORMATS, 'core' as const].find((flag) => options[flag] !== undefined);
      if (alone !== undefined)
        throw new DprofError(`--${alone} does nothing for a trace as it is in the file`, REFERENCES_HINT, 2);
      if (!options.checkOrder) refuseReplayFlags(options, 'for a trace as it is in the file', REFERENCES_HINT);
    }
    const [, second] = FORMATS.filter((format) => options[format]);
    if (second !== undefined)
      throw new DprofError(
        `--${second} and --${FORMATS.find((format) => options[format])} are two formats`,
        'ask for one of them',
        2,
      );
    const request = parseReplayFlags(options);
    await withTraceFiles(files, (paths) => dump(paths, request, options));
  });
}

function dump(paths: readonly string[], request: ReplayRequest, options: DumpFlags): void {
  const output = new StandardOutput();
  if (paths.length === 1 && hasMagic(paths[0], SAMPLES_MAGIC)) return printSamples(paths[0], options, output);
  if (paths.some((path) => hasMagic(path, HISTORIES_MAGIC))) return printHistoryLines(paths, options, output);
  if (paths.length > 1 && !options.references && !options.checkOrder)
    throw new DprofError('several traces as they are in their files are no text of one', REFERENCES_HINT, 2);
  const trace = openFor(paths, request);
  if (options.values && !hasValues(trace.catalog)) {
    throw new DprofError(
      `${paths.join(', ')} ${paths.length === 1 ? 'says' : 'say'} nothing of values`,
      'compile the program with dprof-cc -fdprof-values (what is loaded and stored), -fdprof-args (what ' +
        'functions are given), and record again',
    );
  }
  if (options.references || options.checkOrder) {
    const input = replayInput(trace, resolveMachine(onlyMachine(request), defaultCores(trace)), request.schedule);
    if (options.checkOrder) return printVerdict(input, output);
    const format: ReferenceFormat = FORMATS.find((flag) => options[flag]) ?? 'references';
    dumpReferences(input, (bytes) => output.writeBytes(bytes), {
      format,
      core: parseCore(options.core, input.machine.cores, request.map),
    });
    return;
  }
  for (const line of dumpTrace(trace)) output.write(`${line}\n`);
  output.flush();
}

function printSamples(path: string, options: DumpFlags, output: StandardOutput): void {
  if (options.references || options.checkOrder)
    throw new DprofError(
      `--${options.references ? 'references' : 'check-order'} does nothing for samples`,
      'dprof dump SAMPLES prints them in order of time',
      2,
    );
  const samples = openSamples(path);
  try {
    for (const line of dumpSamples(samples)) output.write(`${line}\n`);
  } finally {
    samples.close();
  }
  output.flush();
}

function printHistoryLines(paths: readonly string[], options: DumpFlags, output: StandardOutput): void {
  if (paths.length > 1)
    throw new DprofError('several files of which one holds histories are no text of one', 'dump them one by one', 2);
  if (options.references || options.checkOrder)
    throw new DprofError(
      `${paths[0]} holds histories, and they have no replay order`,
      'without --references and --check-order',
      2,
    );
  for (const line of dumpHistories(readHistories(paths[0]))) output.write(`${line}\n`);
  output.flush();
}

function printVerdict(input: ReplayInput, output: StandardOutput): void {
  const { steps, acquires, releases, violations, examples } = checkSchedule(input);
  const what =
    `${plural(steps, 'step')} of ${plural(input.threads.length, 'thread')} in the order ` +
    `${spellSchedule(input.schedule)}, ${plural(acquires, 'acquire')}, ${plural(releases, 'release')}`;
  output.write(`${what}: recorded happens-before ${violations === 0 ? 'is kept' : 'is VIOLATED'}\n`);
  output.flush();
  if (violations > 0)
    throw new DprofError(
      `${formatCount(violations)} violations, the first: ${examples[0]}`,
      'this is a bug in dprof, or the trace was not written by its recorder',
    );
}

function parseCore(text: string | undefined, cores: number, map: MapName): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new DprofError(`--core: '${text}' is not a whole number`, 'for example --core 0', 2);
  if (Number(text) < cores) return Number(text);
  throw new DprofError(
    `--core ${text}: the machine has ${cores === 1 ? 'one core, 0' : `${cores} cores, 0 to ${cores - 1}`}`,
    map === 'cpu'
      ? 'threads are on the CPUs that were recorded; --cores says how many cores those are'
      : 'threads are placed in creation order, modulo --cores',
    2,
  );
}
