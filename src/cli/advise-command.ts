// Stage: command line. `dprof advise`: what to change in a program, and what it would bring, tried on its recorded run.

import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { adviceJson } from '../advise/advice-json.js';
import { DEFAULT_LEAST_GAIN, DEFAULT_THRESHOLDS } from '../advise/thresholds.js';
import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { renderAdvice } from '../report/advice-text.js';
import { renderPatches } from '../report/patches-text.js';
import { chooseStyle } from '../report/text-style.js';
import { checkPatchFlags, writePatches, type PatchFlags } from './advise-patches.js';
import { adviseTrace } from './advise-trace.js';
import { hasMagic } from './has-magic.js';
import { addReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { DEFAULT_CPI } from '../views/run-cycles.js';
import { parseCpi } from './cpi-option.js';
import { measuredCpi, priceTrace } from './priced-code.js';
import { withLarger } from './larger-machine.js';
import { machinesFor, openFor } from './replay-trace.js';
import { checkTop } from './report-options.js';
import { ordersOf } from './schedules.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';

interface AdviseFlags extends ReplayFlags, PatchFlags {
  readonly top: string;
  readonly minCycles: string;
  readonly minGain: string;
  readonly cpi: string;
  readonly format: 'text' | 'json';
}

const SCHEDULES = 8;

export function addAdviseCommand(program: Command): void {
  const command = program
    .command('advise')
    .description('what to change in the program, and what it would bring: tried on the recorded run')
    .argument('<trace>', 'trace that dprof record wrote (-: standard input)')
    .option('--top <n>', 'findings to show', '5')
    .option(
      '--min-cycles <percent>',
      'leave out what costs less, in percent of all estimated cycles',
      `${DEFAULT_THRESHOLDS.cycles * 100}`,
    )
    .option(
      '--min-gain <percent>',
      'a change that brings less is none, in percent of instructions and estimated cycles together',
      `${DEFAULT_LEAST_GAIN * 100}`,
    )
    .option('--patch <folder>', 'write a patch of the source there for each change that can be written safely')
    .option('--compile-commands <file>', 'how the sources are compiled, for --patch: compile_commands.json')
    .option(
      '--cpi <cycles>',
      'of an instruction where nothing misses, for the run time; measured: what its blocks take here',
      `${DEFAULT_CPI}`,
    )
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  addReplayFlags(command, { severalMachines: true }).action(async (named: string, flags: AdviseFlags) => {
    checkTop(flags.top);
    const share = parsePercent('--min-cycles', flags.minCycles);
    const leastGain = parsePercent('--min-gain', flags.minGain);
    const given = parseCpi(flags.cpi);
    const patches = checkPatchFlags(flags);
    const request = parseReplayFlags(flags);
    await withTraceFile(named, async (path) => {
      if (hasMagic(path, PROFILE_MAGIC))
        throw new DprofError(`${named} is a profile`, 'name the trace: changes are tried on every access', 2);
      const trace = openFor([path], request);
      const { requests, names } = withLarger(trace, request.machines);
      const machines = machinesFor(trace, requests, names);
      const schedules = ordersOf(trace, request.schedule, request.schedules ?? SCHEDULES);
      const cpi = given ?? measuredCpi(await priceTrace(trace, request));
      const { advice, trials, tried, refused, excerpts } = await adviseTrace(trace, named, request, {
        machines,
        asked: request.machines.length,
        schedules,
        limits: { ...DEFAULT_THRESHOLDS, cycles: share },
        top: Number(flags.top),
        leastGain,
        cpi,
      });
      const [name = '', ...words] = trace.process.command;
      const head = {
        trace: named,
        command: [basename(name), ...words].join(' '),
        machines: names,
        schedules: schedules.length,
        lineBytes: machines[0].lineBytes,
        tried,
        refused,
        excerpts,
        minGain: leastGain,
        cpi,
        isCpiMeasured: given === null,
      };
      const written = patches && (await writePatches(advice, trials, named, patches));
      const output = new StandardOutput();
      const { width } = chooseStyle(isatty(1) ? process.stdout : {}, process.env);
      const json = { ...adviceJson(advice, head), ...(written && { patches: written }) };
      if (flags.format === 'json') output.write(`${JSON.stringify(json, null, 1)}\n`);
      else output.write(renderAdvice(advice, head, width) + (written === null ? '' : renderPatches(written, width)));
      output.flush();
    });
  });
}

function parsePercent(option: string, text: string): number {
  const number = text.replace(/%$/, '');
  const percent = Number(number);
  if (!(number.trim() !== '' && percent >= 0 && percent < 100))
    throw new DprofError(`${option}: '${text}' is no percentage below 100`, `for example ${option} 3`, 2);
  return percent / 100;
}
