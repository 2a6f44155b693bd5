// Stage: command line. `dprof html`: all views of a trace or a profile as one page that needs nothing else.

import type { Command } from 'commander';
import { renderHtml } from '../html/html-report.js';
import { readAdvice, refuseOtherProgram } from './advice-file.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, onlyMachine, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { openProfiles } from './open-profiles.js';
import { checkWholeNumber } from './report-options.js';
import { readSources } from './source-files.js';
import { addSourceFlags, type SourceFlags } from './source-places.js';
import { SAMPLES } from './sampled-source.js';
import { TRACES } from './trace-source.js';
import { writePage } from './write-page.js';

interface HtmlFlags extends ReplayFlags, FlowFlags, SourceFlags {
  readonly output: string;
  readonly paths: string;
  readonly advice?: string;
}

export function addHtmlCommand(program: Command): void {
  const command = program
    .command('html')
    .description('write a report as one HTML file')
    .argument('<files...>', `${TRACES}; or a profile; or ${SAMPLES}`)
    .requiredOption('-o, --output <page>', 'HTML file to write; -: standard output')
    .option('--paths <n>', 'most frequent path traces of each type to put into the page', '100')
    .option('--advice <file>', "what 'dprof advise TRACE --format json' printed: the page begins with it");
  addWindowedReplayFlags(addFlowFlags(addSourceFlags(command)), {
    wantsSharedVariables: true,
    keepsProfiles: true,
  }).action(async (files: readonly string[], options: HtmlFlags) => {
    checkWholeNumber('--paths', options.paths);
    const flow = parseFlowFlags(options, { isWanted: true, isOneSchedule: options.schedules === undefined });
    const request = { ...parseReplayFlags({ sharedVariables: true, ...options }), flow };
    onlyMachine(request);
    const advice = options.advice === undefined ? undefined : readAdvice(options.advice);
    const [profile] = await openProfiles(files, options, request);
    if (advice !== undefined) refuseOtherProgram(advice, options.advice!, profile);
    const { paths } = options;
    const read = (names: readonly string[]): ReturnType<typeof readSources> =>
      readSources(names, { ...options, files: profile.files }, profile.run.recordedAt);
    await writePage(
      (onView) => renderHtml(profile, { readSources: read, mostPaths: Number(paths), advice }, onView),
      options.output,
    );
  });
}
