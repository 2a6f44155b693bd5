// Stage: command line. `dprof html`: all views of a trace or a profile as one page that needs nothing else.

import { Option, type Command } from 'commander';
import { openOutput } from '../base/output-file.js';
import { renderHtml } from '../html/html-report.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, onlyMachine, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { openProfiles } from './open-profiles.js';
import { ProgressLine } from './progress.js';
import { checkWholeNumber } from './report-options.js';
import { readSources } from './source-files.js';
import { StandardOutput } from './standard-output.js';
import { TRACES } from './trace-source.js';

interface HtmlFlags extends ReplayFlags, FlowFlags {
  readonly output: string;
  readonly sourcePath?: readonly string[];
  readonly paths: string;
}

export function addHtmlCommand(program: Command): void {
  const command = program
    .command('html')
    .description('write a report as one HTML file, which needs no network and no server')
    .argument('<files...>', `${TRACES}; or a profile`)
    .requiredOption('-o, --output <page>', 'HTML file to write; -: standard output')
    .addOption(new Option('--source-path <folder>', 'look for sources there first; may be given several times').argParser((folder: string, before: string[] = []) => [...before, folder]))
    .option('--paths <n>', 'path traces of each type in the page: the most frequent ones', '100');
  addWindowedReplayFlags(addFlowFlags(command)).action(async (files: readonly string[], options: HtmlFlags) => {
    checkWholeNumber('--paths', options.paths);
    const flow = parseFlowFlags(options, { isWanted: true, isOneSchedule: options.schedules === undefined });
    const request = { ...parseReplayFlags({ ...options, sharedVariables: true }), flow };
    onlyMachine(request);
    const [profile] = await openProfiles(files, options, request);
    const { sourcePath = [], paths } = options;
    const read = (names: readonly string[]): ReturnType<typeof readSources> => readSources(names, sourcePath, profile.run.recordedAt);
    writePage(await withProgressOfViews((onView) => renderHtml(profile, { readSources: read, mostPaths: Number(paths) }, onView)), options.output);
  });
}

async function withProgressOfViews(render: (onView: (name: string) => void) => Promise<string>): Promise<string> {
  let view = '';
  const line = new ProgressLine((seconds) => `writing the report: ${view}, ${seconds.toFixed(0)} s`);
  try {
    return await render((name) => (view = name));
  } finally {
    line.stop();
  }
}

function writePage(page: string, path: string): void {
  if (path === '-') return new StandardOutput().writeBytes(Buffer.from(page));
  const output = openOutput(path, 'the report');
  try {
    output.write(Buffer.from(page));
    output.finish();
  } catch (error) {
    throw output.fail(error);
  }
}
