// Stage: command line. `dprof html`: all views of a trace or a profile as one page that needs nothing else.

import type { Command } from 'commander';
import { renderHtml } from '../html/html-report.js';
import { readAdvice, refuseOtherProgram } from './advice-file.js';
import { blocksOf } from './blocks-report.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, onlyMachine, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { profilesOf } from './open-profiles.js';
import { checkWholeNumber } from './report-options.js';
import { readSources } from './source-files.js';
import { addSourceFlags, type SourceFlags } from './source-places.js';
import { SAMPLES } from './sampled-source.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';
import { writePage } from './write-page.js';

interface HtmlFlags extends ReplayFlags, FlowFlags, SourceFlags {
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
    .option('--blocks', 'a page of the hottest blocks of machine code; runs them here (traces of -fdprof-blocks)');
  addWindowedReplayFlags(addFlowFlags(addSourceFlags(command)), {
    wantsSharedVariables: true,
    keepsProfiles: true,
  }).action(async (files: readonly string[], options: HtmlFlags) => {
    checkWholeNumber('--paths', options.paths);
    const flow = parseFlowFlags(options, { isWanted: true, isOneSchedule: options.schedules === undefined });
    const request = { ...parseReplayFlags({ sharedVariables: true, ...options }), flow };
    onlyMachine(request);
    const advice = options.advice === undefined ? undefined : readAdvice(options.advice);
    const { profile, blocks } = await withTraceFiles(files, async (paths) => ({
      // First, because it may be refused.
      blocks: options.blocks === true ? await blocksOf(paths, nameTraces(files), request) : undefined,
      profile: (await profilesOf(paths, files, options, request))[0],
    }));
    if (advice !== undefined) refuseOtherProgram(advice, options.advice!, profile);
    const { paths } = options;
    const read = (names: readonly string[]): ReturnType<typeof readSources> =>
      readSources(names, { ...options, files: profile.files }, profile.run.recordedAt);
    await writePage(
      (onView) => renderHtml(profile, { readSources: read, mostPaths: Number(paths), advice, blocks }, onView),
      options.output,
    );
  });
}
