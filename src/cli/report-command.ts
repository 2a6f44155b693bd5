// Stage: command line. `dprof report`: prints the views of a trace (which it replays) or of a profile.

import type { Command } from 'commander';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { openProfiles } from './open-profiles.js';
import { addReportFlags, checkReportFlags, isOfFlow, printReports, withViewFlags, type ReportFlags } from './report-options.js';
import { TRACES } from './trace-source.js';

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace or a profile')
    .argument('<files...>', `${TRACES}; or a profile`);
  addWindowedReplayFlags(addFlowFlags(addReportFlags(command))).action(async (files: readonly string[], options: ReportFlags & ReplayFlags & FlowFlags) => {
    checkReportFlags(options);
    const flow = parseFlowFlags(options, { isWanted: isOfFlow(options), isOneSchedule: options.schedules === undefined });
    const profiles = await openProfiles(files, options, { ...parseReplayFlags(withViewFlags(options)), flow });
    printReports(profiles, options);
  });
}
