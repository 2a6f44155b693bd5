// Stage: command line. `dprof report`: prints the views of a trace (which it replays), of samples or of a profile.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import { reportBlocks } from './blocks-report.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { hasMagic } from './has-magic.js';
import { printHistories } from './history-command.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { nextCommand, traceOf } from './next-command.js';
import { profilesOf } from './open-profiles.js';
import {
  addReportFlags,
  checkReportFlags,
  isOfFlow,
  printReports,
  withViewFlags,
  type ReportFlags,
} from './report-options.js';
import { areSamples, SAMPLES } from './sampled-source.js';
import { TRACES, withTraceFiles } from './trace-source.js';

const BLOCKS = 'blocks';
type BlocksFlags = Omit<ReportFlags, 'view'> & ReplayFlags & FlowFlags & { readonly view: typeof BLOCKS };
type AskedFlags = (ReportFlags & ReplayFlags & FlowFlags) | BlocksFlags;

function isOfBlocks(flags: AskedFlags): flags is BlocksFlags {
  return flags.view === BLOCKS;
}

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace, a profile or samples')
    .argument('<files...>', `${TRACES}; or a profile; or ${SAMPLES}`);
  addWindowedReplayFlags(addFlowFlags(addReportFlags(command, [BLOCKS])), {
    severalMachines: true,
    keepsProfiles: true,
  }).action(async (files: readonly string[], asked: AskedFlags) => {
    if (isOfBlocks(asked)) return reportBlocks(files, parseReplayFlags(asked), asked);
    const options: ReportFlags & ReplayFlags & FlowFlags = asked;
    checkReportFlags(options);
    const flow = parseFlowFlags(options, {
      isWanted: isOfFlow(options),
      isOneSchedule: options.schedules === undefined,
    });
    const replay = parseReplayFlags(withViewFlags(options));
    const request = { ...replay, flow, ...(replay.kept && options.view !== 'all' && { kept: 'or-more' as const }) };
    let trace: string | undefined;
    const profiles = await withTraceFiles(files, (paths) => {
      trace = traceOf(paths, files);
      const histories = paths.find((each) => hasMagic(each, HISTORIES_MAGIC));
      return histories === undefined || areSamples(paths)
        ? profilesOf(paths, files, options, request)
        : reportHistories(histories, paths, options);
    });
    if (profiles === null) return;
    printReports(profiles, options, { next: trace === undefined ? undefined : nextCommand(profiles, trace) });
  });
}

/** Histories are of single objects, and were not replayed, so no view of a profile is in them. */
function reportHistories(path: string, paths: readonly string[], options: ReportFlags & ReplayFlags): null {
  if (paths.length > 1)
    throw new DprofError(`${path} holds histories, and only traces are replayed together`, 'report on it alone', 2);
  refuseReplayFlags(options, `for ${path}: histories are not replayed`, 'leave them out');
  if (!['text', 'json'].includes(options.format))
    throw new DprofError(`histories have no ${options.format}`, '--format text or json', 2);
  printHistories(path, options.format, Number(options.top));
  return null;
}
