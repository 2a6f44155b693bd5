// Stage: command line. `dprof html`: all views of a trace or a profile as one page that needs nothing else.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { renderHtml } from '../html/html-report.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { openProfiles } from './open-profiles.js';
import { checkWholeNumber } from './report-options.js';
import { TRACES } from './trace-source.js';

interface HtmlFlags extends ReplayFlags, FlowFlags {
  readonly output: string;
  readonly source: readonly string[];
  readonly paths: string;
}

export function addHtmlCommand(program: Command): void {
  const command = program
    .command('html')
    .description('write a report as one HTML file, which needs no network and no server')
    .argument('<files...>', `${TRACES}; or a profile`)
    .requiredOption('-o, --output <page>', 'HTML file to write')
    .option('--source <folder...>', 'where to look for source files whose names are relative (default: the current folder)', ['.'])
    .option('--paths <n>', 'path traces of each type in the page: the most frequent ones', '100');
  addWindowedReplayFlags(addFlowFlags(command)).action(async (files: readonly string[], options: HtmlFlags) => {
    checkWholeNumber('--paths', options.paths);
    const flow = parseFlowFlags(options, { isWanted: true, isOneSchedule: options.schedules === undefined });
    const profiles = await openProfiles(files, options, { ...parseReplayFlags(options), flow });
    if (profiles.length > 1) throw new DprofError('a page is of one machine', 'name one --machine, and write a page for each', 2);
    writePage(renderHtml(profiles[0], { sourceFolders: options.source, mostPaths: Number(options.paths) }), options.output);
  });
}

/** Under its name when it is whole. */
function writePage(page: string, path: string): void {
  const incomplete = `${path}.incomplete`;
  try {
    writeFileSync(incomplete, page);
    renameSync(incomplete, path);
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw new DprofError(`cannot write ${path} (${(error as NodeJS.ErrnoException).code})`, 'name a file in a folder that can be written to: -o report.html');
  }
}
