// Stage: command line. `dprof html`: all views of a trace or a profile as one page that needs nothing else.

import type { Command } from 'commander';
import { renderHtml } from '../html/html-report.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { readAdvice, refuseOtherProgram } from './advice-file.js';
import { blocksOf, refuseSeveral } from './blocks-report.js';
import { addCpiFlag, cpiOf, parseCpi, type CpiFlags } from './cpi-option.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { lineCyclesOf, measuredTime } from './line-cycles.js';
import {
  addWindowedReplayFlags,
  onlyMachine,
  parseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { profilesOf } from './open-profiles.js';
import { priceTrace, type PricedCode } from './priced-code.js';
import { openFor } from './replay-trace.js';
import { checkWholeNumber } from './report-options.js';
import { readSources } from './source-files.js';
import { addSourceFlags, type SourceFlags } from './source-places.js';
import { SAMPLES } from './sampled-source.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';
import { writePage } from './write-page.js';

interface HtmlFlags extends ReplayFlags, FlowFlags, SourceFlags, CpiFlags {
  readonly output: string;
  readonly paths: string;
  readonly advice?: string;
  readonly blocks?: boolean;
}

export function addHtmlCommand(program: Command): void {
  const command = program
    .command('html')
    .description('write a report as one HTML file')
    .argument('<files...>', `${TRACES}; or a profile; or ${SAMPLES}`)
    .requiredOption('-o, --output <page>', 'HTML file to write; -: standard output')
    .option('--paths <n>', 'most frequent path traces of each type to put into the page', '100')
    .option('--advice <file>', "what 'dprof advise TRACE --format json' printed: the page begins with it")
    .option('--blocks', 'hottest blocks of machine code, time of lines; runs the code here (traces of -fdprof-blocks)');
  addWindowedReplayFlags(addFlowFlags(addSourceFlags(addCpiFlag(command))), {
    wantsSharedVariables: true,
    keepsProfiles: true,
  }).action(async (files: readonly string[], options: HtmlFlags) => {
    checkWholeNumber('--paths', options.paths);
    const flow = parseFlowFlags(options, { isWanted: true, isOneSchedule: options.schedules === undefined });
    const request = { ...parseReplayFlags({ sharedVariables: true, ...options }), flow };
    onlyMachine(request);
    const advice = options.advice === undefined ? undefined : readAdvice(options.advice);
    if (options.cpi !== undefined) parseCpi(options.cpi);
    if (options.blocks === true) refuseSeveral(request);
    const { profile, ...more } = await withTraceFiles(files, async (paths) => {
      // First, because it may be refused.
      const priced = await pricedFor(paths, options, request);
      const cpi = await cpiOf(options, async () => measuredTime(priced!.code));
      const named = nameTraces(files);
      const blocks = options.blocks ? await blocksOf(priced!.trace, priced!.code, named, request) : undefined;
      const [made] = await profilesOf(paths, files, options, request);
      return { profile: made, cpi, blocks, code: blocks && lineCyclesOf(priced!.code, made) };
    });
    if (advice !== undefined) refuseOtherProgram(advice, options.advice!, profile);
    const { paths } = options;
    const read = (names: readonly string[]): ReturnType<typeof readSources> =>
      readSources(names, { ...options, files: profile.files }, profile.run.recordedAt);
    await writePage(
      (onView) => renderHtml(profile, { readSources: read, mostPaths: Number(paths), advice, ...more }, onView),
      options.output,
    );
  });
}

/** undefined: nothing that is asked for needs it. */
async function pricedFor(
  paths: readonly string[],
  { blocks, cpi }: HtmlFlags,
  request: ReplayRequest,
): Promise<{ readonly trace: OpenedTrace; readonly code: PricedCode } | undefined> {
  if (blocks !== true && (cpi === undefined || parseCpi(cpi) !== null)) return undefined;
  const trace = openFor(paths, request);
  return { trace, code: await priceTrace(trace, request) };
}
