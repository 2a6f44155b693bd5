// Stage: command line. `dprof report`: prints the views of a trace (which it replays) or of a profile.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { HISTORIES_MAGIC } from '../histories/histories-layout.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { readProfile } from '../profile/profile-reader.js';
import { hasMagic } from './has-magic.js';
import { printHistories } from './history-command.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { addReportFlags, checkReportFlags, printReports, type ReportFlags } from './report-options.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace or a profile')
    .argument('<files...>', `${TRACES}; or a profile`);
  addWindowedReplayFlags(addReportFlags(command)).action(async (files: readonly string[], options: ReportFlags & ReplayFlags) => {
    checkReportFlags(options);
    const request = parseReplayFlags(options);
    const profiles = await withTraceFiles(files, (paths) => {
      const histories = paths.find((each) => hasMagic(each, HISTORIES_MAGIC));
      if (histories !== undefined) return reportHistories(histories, paths, options);
      const path = paths.find((each) => hasMagic(each, PROFILE_MAGIC));
      if (path === undefined) return replayTrace(paths, request, nameTraces(files));
      if (paths.length > 1) throw new DprofError(`${path} is a profile, and only traces are replayed together`, 'add profiles up: dprof merge A.dprofile B.dprofile -o BOTH.dprofile', 2);
      refuseReplayFlags(options, `for ${path}, which was replayed already`, 'give the trace instead of the profile');
      return [readProfile(path)];
    });
    if (profiles !== null) printReports(profiles, options);
  });
}

/** They are of single objects, and were not replayed: no view of a profile is in them. */
function reportHistories(path: string, paths: readonly string[], options: ReportFlags & ReplayFlags): null {
  if (paths.length > 1) throw new DprofError(`${path} holds histories, and only traces are replayed together`, 'report on it alone', 2);
  refuseReplayFlags(options, `for ${path}: histories are not replayed`, 'leave them out');
  if (!['text', 'json'].includes(options.format)) throw new DprofError(`histories have no ${options.format}`, '--format text or json', 2);
  printHistories(path, options.format, Number(options.top));
  return null;
}
