// Stage: command line. `dprof diff`: two runs compared, from traces (which it replays) or profiles; printed, or written
// as one HTML page.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { buildDiff, type Diff } from '../diff/diff.js';
import { DIFF_SORTS, type DiffSort } from '../diff/rank.js';
import { renderComparison } from '../html/html-report.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { renderCsv } from '../report/csv.js';
import { renderDiff } from '../report/diff-text.js';
import { renderJson } from '../report/json.js';
import { chooseStyle } from '../report/text-style.js';
import { requireTypeOfEither } from '../views/row-filter.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import {
  addWindowedReplayFlags,
  onlyMachine,
  parseReplayFlags,
  refuseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { readNamed } from './merge-command.js';
import { hasMagic } from './has-magic.js';
import { replayTrace } from './replay-trace.js';
import { checkTop, FORMATS } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { areSamples, sampledProfiles } from './sampled-source.js';
import { STANDARD_INPUT, withTraceFiles } from './trace-source.js';
import { checkPage, writePage } from './write-page.js';
import type { NamedProfile } from '../profile/mergeable.js';

/** The formats of reports, which are printed, and a page, which is a file. */
const DIFF_FORMATS = [...FORMATS, 'html'] as const;

interface DiffFlags extends ReplayFlags, FlowFlags {
  readonly per?: string;
  readonly sort?: DiffSort;
  readonly level?: LevelName;
  readonly top: string;
  readonly type?: string;
  readonly format: (typeof DIFF_FORMATS)[number];
  /** With html, and only there. */
  readonly output?: string;
}

const SIDE = 'trace that dprof record wrote (or a folder of processes, or -: standard input), or a profile';

export function addDiffCommand(program: Command): void {
  const command = program
    .command('diff')
    .description('compare two runs by type and field, largest change first')
    .argument('<before>', SIDE)
    .argument('<after>', 'likewise')
    .option(
      '--per <work>',
      'divide counts by work: a mark (NAME or mark:NAME), or thousands of instructions or references',
    )
    .addOption(
      new Option('--sort <key>', 'sort by the absolute change of this (default: cycles)').choices([...DIFF_SORTS]),
    )
    .addOption(
      new Option('--level <level>', 'level whose misses and classes to show (default: that changed most)').choices([
        ...LEVELS,
      ]),
    )
    .option('--top <n>', 'rows of a text table', '20')
    .option('--type <name>', "only rows of this type, such as 'struct args'")
    .addOption(
      new Option('--format <format>', 'output format; html writes a page').choices([...DIFF_FORMATS]).default('text'),
    )
    .option('-o, --output <page>', 'HTML file to write, with --format html');
  addWindowedReplayFlags(addFlowFlags(command), { keepsProfiles: true }).action(
    async (before: string, after: string, flags: DiffFlags) => {
      checkTop(flags.top);
      checkPage(flags, 'diff.html');
      if (flags.schedules !== undefined)
        throw new DprofError(
          '--schedules does nothing here: a comparison is under one schedule',
          'name it: --schedule random:1',
          2,
        );
      if (before === STANDARD_INPUT && after === STANDARD_INPUT)
        throw new DprofError('standard input is one trace', 'name the other as a file', 2);
      const request = {
        ...parseReplayFlags(flags),
        flow: parseFlowFlags(flags, { isWanted: true, isOneSchedule: true }),
      };
      onlyMachine(request);
      const sides = [await openSide(before, request), await openSide(after, request)];
      // Flags that are for neither would pass unseen.
      if (sides.every(({ isTrace }) => !isTrace))
        refuseReplayFlags(
          flags,
          'for two profiles, which were replayed already',
          'give the traces instead of the profiles',
        );
      const [first, second] = sides;
      if (flags.type !== undefined) requireTypeOfEither([first.profile, second.profile], flags.type);
      await deliver(buildDiff(first, second, flags), flags);
    },
  );
}

interface Side extends NamedProfile {
  readonly isTrace: boolean;
}

async function openSide(name: string, request: ReplayRequest): Promise<Side> {
  return withTraceFiles([name], async (paths): Promise<Side> => {
    const [path] = paths;
    if (paths.length === 1 && hasMagic(path, PROFILE_MAGIC)) return { name, profile: readNamed(path), isTrace: false };
    if (areSamples(paths)) return { name, profile: sampledProfiles(paths, [name], {}, request)[0], isTrace: true };
    const [profile] = await replayTrace(paths, request, name);
    return { name, profile, isTrace: true };
  });
}

async function deliver(diff: Diff, flags: DiffFlags): Promise<void> {
  if (flags.output === undefined) print(diff, flags);
  else await writePage((onView) => renderComparison(diff, onView), flags.output);
}

function print(diff: Diff, { format, top }: DiffFlags): void {
  const output = new StandardOutput();
  if (format === 'json') for (const part of renderJson(diff)) output.write(part);
  else if (format === 'csv') for (const part of renderCsv(diff.rows)) output.write(part);
  else
    output.write(
      renderDiff(diff, { top: Number(top), style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }),
    );
  output.flush();
}
