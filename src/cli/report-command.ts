// Stage: command line. `dprof report`: prints the views of a trace (which it replays) or of a profile.

import type { Command } from 'commander';
import { addWindowedReplayFlags, type ReplayFlags } from './machine-options.js';
import { openProfiles, TRACES_OR_PROFILE } from './profile-source.js';
import { addReportFlags, checkReportFlags, printReports, type ReportFlags } from './report-options.js';

export function addReportCommand(program: Command): void {
  const command = program.command('report').description('print a view of a trace or a profile').argument('<files...>', TRACES_OR_PROFILE);
  addWindowedReplayFlags(addReportFlags(command)).action(async (files: readonly string[], options: ReportFlags & ReplayFlags) => {
    checkReportFlags(options);
    printReports(await openProfiles(files, options), options);
  });
}
