// Stage: command line. `dprof validate`: a trace beside what hardware said of the same program.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { HISTORIES_MAGIC } from '../histories/histories-layout.js';
import type { Histories } from '../histories/histories.js';
import { readHistories } from '../histories/histories-reader.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { openTrace, replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { formatCount } from '../report/format-number.js';
import { renderJson } from '../report/json.js';
import { chooseStyle } from '../report/text-style.js';
import { renderHistoriesValidation } from '../report/validate-text.js';
import { firstStamp, readObjects } from '../validate/read-objects.js';
import { hasCommonObjects, validateHistories, type HistoriesValidation } from '../validate/validate-histories.js';
import { hasMagic } from './has-magic.js';
import { ProgressLine } from './progress.js';
import { checkTop } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';

interface ValidateFlags {
  readonly top: string;
  readonly format: 'text' | 'json';
}

export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('hold a trace against what hardware saw of the same run: histories that dprof history took with --trace. Status 1 if something is not explained')
    .argument('<trace>', 'trace that dprof history --trace wrote')
    .argument('<histories>', 'histories of the same run')
    .option('--top <n>', 'rows of a text table', '20')
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action((trace: string, histories: string, flags: ValidateFlags) => {
      checkTop(flags.top);
      return withTraceFile(trace, (path) => beside({ trace, histories }, path, flags));
    });
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
  const output = new StandardOutput();
  if (flags.format === 'json') for (const piece of renderJson(validation)) output.write(piece);
  else output.write(renderHistoriesValidation(validation, { top: Number(flags.top), style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }));
  output.flush();
  if (validation.verdict !== 'agrees') process.exitCode = 1;
}

/** Whether the trace's stamps are of the time that the histories were taken in. */
function requireOneRun({ trace, histories }: Named, { end }: Histories, { path, threads }: OpenedTrace): void {
  const first = firstStamp(path, threads);
  if (end === null || first === null || (first >= BigInt(end.clocks.startStamp) && first <= BigInt(end.clocks.endStamp))) return;
  throw new DprofError(`${histories} and ${trace} are of two runs: their clocks do not meet`, 'take both at once: dprof history --trace TRACE -o HISTORIES');
}
