// Stage: command line. `dprof validate`: a trace beside what hardware said of the same program.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { SAMPLES_MAGIC } from '../hardware/samples/samples-format.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import type { Histories } from '../hardware/histories/histories.js';
import { readHistories } from '../hardware/histories/histories-reader.js';
import { renderResamplingPage, renderSamplesValidationPage } from '../hardware/report/validation-pages.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { openTrace, replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { formatCount } from '../base/format-number.js';
import { renderJson } from '../report/json.js';
import { renderResampling } from '../hardware/report/resample-text.js';
import { renderSamplesValidation } from '../hardware/report/samples-validation-text.js';
import { chooseStyle, type TextStyle } from '../report/text-style.js';
import { renderHistoriesValidation } from '../hardware/report/histories-validation-text.js';
import { COMPARED_BY, type ComparedBy } from '../hardware/validate/exact-amounts.js';
import { firstStamp, readObjects } from '../hardware/validate/read-objects.js';
import {
  hasCommonObjects,
  validateHistories,
  type HistoriesValidation,
} from '../hardware/validate/validate-histories.js';
import { hasMagic } from './has-magic.js';
import { addReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { ProgressLine } from './progress.js';
import { checkTop } from './report-options.js';
import { addResampleFlags, refuseResampleFlags, resample, type ResampleFlags } from './resampling.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';
import { validateSamplesFile } from './validate-samples.js';
import { checkPage, writePage } from './write-page.js';

interface ValidateFlags extends ReplayFlags, ResampleFlags {
  readonly resample?: boolean;
  readonly by?: ComparedBy;
  readonly tolerance?: string;
  readonly otherBuild?: boolean;
  readonly top: string;
  readonly format: 'text' | 'json' | 'html';
  /** With html, and only there. */
  readonly output?: string;
}

const DEFAULT_TOLERANCE = 2;
/** Flags of one kind of validation, refused in the others. */
const COMPARING = ['by', 'tolerance', 'otherBuild'] as const;
const USAGE = 'dprof validate TRACE HISTORIES, dprof validate TRACE SAMPLES, or dprof validate --resample TRACE';

export function addValidateCommand(program: Command): void {
  const command = program
    .command('validate')
    .description('compare a trace with histories or samples of hardware, or draw samples from it (--resample)')
    .usage('TRACE HISTORIES|SAMPLES [options]\n       dprof validate --resample TRACE [options]')
    .argument(
      '<trace>',
      'for histories, the trace of dprof history --trace; for samples, one of the same program; with ' +
        '--resample, any trace',
    )
    .argument('[seen]', 'histories, or samples (those of dprof import must be of the same run)')
    .addOption(
      new Option('--by <rows>', 'with samples: compare shares by this (default: type)').choices([...COMPARED_BY]),
    )
    .option(
      '--tolerance <points>',
      'with samples: a share whose interval reaches further to a side has too few samples (default: ' +
        `${DEFAULT_TOLERANCE})`,
    )
    .option('--other-build', 'with samples: they are of another build of the same source; compare names only')
    .option('--top <n>', 'rows of a table', '20')
    .addOption(
      new Option('--format <format>', 'output format; html (samples, --resample) writes a page')
        .choices(['text', 'json', 'html'])
        .default('text'),
    )
    .option('-o, --output <page>', 'HTML file to write, with --format html')
    .option('--resample', 'draw samples from the exact run with the biases of hardware, and show their errors');
  addReplayFlags(addResampleFlags(command)).action(
    async (trace: string, seen: string | undefined, flags: ValidateFlags) => {
      checkTop(flags.top);
      checkPage(flags, 'validation.html');
      const refuse = (names: readonly (keyof ValidateFlags)[], where: string): void => {
        const alone = names.find((flag) => flags[flag] !== undefined);
        if (alone !== undefined) throw new DprofError(`${spellFlag(alone)} does nothing without ${where}`, USAGE, 2);
      };
      if (flags.format === 'html' && !flags.resample && (seen === undefined || !hasMagic(seen, SAMPLES_MAGIC)))
        throw new DprofError(
          'there is no page of histories',
          '--format html is of samples and for --resample; --format json has all that was found',
          2,
        );
      if (flags.resample) {
        refuse(COMPARING, 'samples');
        if (seen !== undefined) throw new DprofError('--resample draws from the trace itself', `without ${seen}`, 2);
        const data = await resample(trace, flags);
        return flags.output === undefined
          ? print(data, flags, (style) => renderResampling(data, style))
          : writePage(async () => renderResamplingPage(data), flags.output);
      }
      refuseResampleFlags(flags);
      if (seen === undefined) throw new DprofError(`nothing to hold ${trace} against`, USAGE, 2);
      if (hasMagic(seen, SAMPLES_MAGIC)) return besideSamples(trace, seen, flags);
      refuse(COMPARING, 'samples');
      refuseReplayFlags(
        flags,
        'for histories, which are of the recorded order and of no cache',
        'leave it out, or use --resample',
      );
      return withTraceFile(trace, (path) => beside({ trace, histories: seen }, path, flags));
    },
  );
}

const spellFlag = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function besideSamples(trace: string, samples: string, flags: ValidateFlags): Promise<void> {
  const { by = 'type', tolerance = String(DEFAULT_TOLERANCE), otherBuild = false } = flags;
  if (flags.schedules !== undefined)
    throw new DprofError(
      '--schedules does nothing here: samples are held against one order',
      'name it: --schedule random:1',
      2,
    );
  const tolerancePoints = Number(tolerance);
  if (!/^\d{1,2}(\.\d{1,3})?$/.test(tolerance) || tolerancePoints === 0)
    throw new DprofError(
      `--tolerance: '${tolerance}' is not points of percent above 0 and below 100`,
      `for example --tolerance ${DEFAULT_TOLERANCE}`,
      2,
    );
  const request = parseReplayFlags(flags);
  const data = await withTraceFile(trace, (path) =>
    validateSamplesFile({ trace: path, samples }, request, {
      trace,
      samples,
      by,
      tolerancePoints,
      isOtherBuild: otherBuild,
    }),
  );
  if (flags.output !== undefined)
    await writePage(() => Promise.resolve(renderSamplesValidationPage(data)), flags.output);
  else print(data, flags, (style) => renderSamplesValidation(data, { top: Number(flags.top), style }));
  if (data.verdict !== 'agrees') process.exitCode = 1;
}

function print(
  data: Parameters<typeof renderJson>[0],
  { format }: ValidateFlags,
  render: (style: TextStyle) => string,
): void {
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
  if (!hasMagic(named.histories, HISTORIES_MAGIC))
    throw new DprofError(
      `${named.histories} holds no histories and no samples`,
      "dprof history --trace TRACE -o HISTORIES --type 'struct packet' -- PROGRAM writes both; dprof sample " +
        'and dprof import write samples',
      2,
    );
  const histories = readHistories(named.histories);
  const trace = openTrace(path);
  if (histories.rows.type.length === 0)
    throw new DprofError(
      `${named.histories} has no history`,
      'no object was drawn: dprof history --one-in 1 draws all',
    );
  requireOneRun(named, histories, trace);
  const progress = new Float64Array(1);
  const line = new ProgressLine(
    (seconds) => `reading ${named.trace}: ${formatCount(progress[0])} accesses, ${seconds.toFixed(0)} s`,
  );
  let validation: HistoriesValidation;
  try {
    const input = replayInput(trace, resolveMachine({}, trace.threads.length), { kind: 'recorded' });
    const traced = await readObjects(
      trace,
      input,
      histories,
      progress,
      () => new Promise((resume) => void setImmediate(resume)),
    );
    if (!hasCommonObjects(traced.objects)) {
      throw new DprofError(
        `none of the ${formatCount(traced.objects.length)} objects of ${named.histories} is in ${named.trace}`,
        'they must be of one run: dprof history --trace TRACE -o HISTORIES',
      );
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
  if (
    end === null ||
    first === null ||
    (first >= BigInt(end.clocks.startStamp) && first <= BigInt(end.clocks.endStamp))
  )
    return;
  throw new DprofError(
    `${histories} and ${trace} are of two runs: their clocks do not meet`,
    'take both at once: dprof history --trace TRACE -o HISTORIES',
  );
}
