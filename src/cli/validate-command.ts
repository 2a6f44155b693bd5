// Stage: command line. `dprof validate`: a trace beside what hardware said of the same program.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { HISTORIES_MAGIC } from '../histories/histories-layout.js';
import type { Histories } from '../histories/histories.js';
import { readHistories } from '../histories/histories-reader.js';
import { renderResamplingPage } from '../html/resample-page.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { openTrace, replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { formatCount } from '../report/format-number.js';
import { renderJson } from '../report/json.js';
import { renderResampling } from '../report/resample-text.js';
import { chooseStyle, type TextStyle } from '../report/text-style.js';
import { renderHistoriesValidation } from '../report/validate-text.js';
import { firstStamp, readObjects } from '../validate/read-objects.js';
import { hasCommonObjects, validateHistories, type HistoriesValidation } from '../validate/validate-histories.js';
import { hasMagic } from './has-magic.js';
import { addReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { ProgressLine } from './progress.js';
import { checkTop } from './report-options.js';
import { addResampleFlags, refuseResampleFlags, resample, type ResampleFlags } from './resampling.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';
import { checkPage, writePage } from './write-page.js';

interface ValidateFlags extends ReplayFlags, ResampleFlags {
  readonly resample?: boolean;
  readonly top: string;
  readonly format: 'text' | 'json' | 'html';
  /** With html, and only there. */
  readonly output?: string;
}

export function addValidateCommand(program: Command): void {
  const command = program
    .command('validate')
    .description('hold a trace against what hardware saw of the same run (histories that dprof history took with --trace; status 1 if something is not explained), or see what a hardware profiler would have said of it (--resample)')
    .usage('TRACE HISTORIES [options]\n       dprof validate --resample TRACE [options]')
    .argument('<trace>', 'trace that dprof history --trace wrote; with --resample any trace, as dprof report takes it')
    .argument('[histories]', 'histories of the same run')
    .option('--top <n>', 'rows of a table of exceptions', '20')
    .addOption(new Option('--format <format>', 'how to print it; html, with --resample: write it as a page that needs no network and no server').choices(['text', 'json', 'html']).default('text'))
    .option('-o, --output <page>', 'HTML file to write, with --format html')
    .option('--resample', 'draw samples from the exact run with the biases that hardware has, and say how far off they are');
  addReplayFlags(addResampleFlags(command)).action(async (trace: string, histories: string | undefined, flags: ValidateFlags) => {
    checkTop(flags.top);
    checkPage(flags, 'validation.html');
    if (flags.resample) {
      if (histories !== undefined) throw new DprofError('--resample draws from the trace itself', `without ${histories}`, 2);
      const data = await resample(trace, flags);
      return flags.output === undefined ? print(data, flags, (style) => renderResampling(data, style)) : writePage(async () => renderResamplingPage(data), flags.output);
    }
    refuseResampleFlags(flags);
    if (flags.format === 'html') throw new DprofError('there is no page of histories', 'html is for --resample; --format json has all that was found', 2);
    if (histories === undefined) throw new DprofError(`nothing to hold ${trace} against`, 'dprof validate TRACE HISTORIES, or dprof validate --resample TRACE', 2);
    refuseReplayFlags(flags, 'for histories, which are of the recorded order and of no cache', 'leave it out, or use --resample');
    return withTraceFile(trace, (path) => beside({ trace, histories }, path, flags));
  });
}

function print(data: Parameters<typeof renderJson>[0], { format }: ValidateFlags, render: (style: TextStyle) => string): void {
  const output = new StandardOutput();
  if (format === 'json') for (const piece of renderJson(data)) output.write(piece);
  else output.write(render(chooseStyle(isatty(1) ? process.stdout : {}, process.env)));
  output.flush();
}

interface Named {
  readonly trace: string;
  readonly histories: string;
}

async function beside(named: Named, path: string, flags: ValidateFlags): Promise<void> {
  if (!hasMagic(named.histories, HISTORIES_MAGIC)) throw new DprofError(`${named.histories} holds no histories`, "dprof history --trace TRACE -o HISTORIES --type 'struct packet' -- PROGRAM writes both", 2);
  const histories = readHistories(named.histories);
  const trace = openTrace(path);
  if (histories.rows.type.length === 0) throw new DprofError(`${named.histories} has no history`, 'no object was drawn: dprof history --one-in 1 draws all');
  requireOneRun(named, histories, trace);
  const progress = new Float64Array(1);
  const line = new ProgressLine((seconds) => `reading ${named.trace}: ${formatCount(progress[0])} accesses, ${seconds.toFixed(0)} s`);
  let validation: HistoriesValidation;
  try {
    const input = replayInput(trace, resolveMachine({}, trace.threads.length), { kind: 'recorded' });
    const traced = await readObjects(trace, input, histories, progress, () => new Promise((resume) => void setImmediate(resume)));
    if (!hasCommonObjects(traced.objects)) {
      throw new DprofError(`none of the ${formatCount(traced.objects.length)} objects of ${named.histories} is in ${named.trace}`, 'they must be of one run: dprof history --trace TRACE -o HISTORIES');
    }
    validation = validateHistories(histories, traced, named);
  } finally {
    line.stop();
  }
  print(validation, flags, (style) => renderHistoriesValidation(validation, { top: Number(flags.top), style }));
  if (validation.verdict !== 'agrees') process.exitCode = 1;
}

/** Whether the trace's stamps are of the time that the histories were taken in. */
function requireOneRun({ trace, histories }: Named, { end }: Histories, { path, threads }: OpenedTrace): void {
  const first = firstStamp(path, threads);
  if (end === null || first === null || (first >= BigInt(end.clocks.startStamp) && first <= BigInt(end.clocks.endStamp))) return;
  throw new DprofError(`${histories} and ${trace} are of two runs: their clocks do not meet`, 'take both at once: dprof history --trace TRACE -o HISTORIES');
}
