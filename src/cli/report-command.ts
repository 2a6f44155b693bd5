// Stage: command line. `dprof report`: prints the views of a trace (which it replays) or of a profile.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { readProfile } from '../profile/profile-reader.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { isProfile } from './is-profile.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { addReportFlags, checkReportFlags, isOfFlow, printReports, type ReportFlags } from './report-options.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace or a profile')
    .argument('<files...>', `${TRACES}; or a profile`);
  addWindowedReplayFlags(addFlowFlags(addReportFlags(command))).action(async (files: readonly string[], options: ReportFlags & ReplayFlags & FlowFlags) => {
    checkReportFlags(options);
    const request = parseReplayFlags(options);
    const flow = parseFlowFlags(options, { isWanted: isOfFlow(options), isOneSchedule: options.schedules === undefined });
    const profiles = await withTraceFiles(files, (paths) => {
      const path = paths.find(isProfile);
      if (path === undefined) return replayTrace(paths, { ...request, flow }, nameTraces(files));
      if (paths.length > 1) throw new DprofError(`${path} is a profile, and only traces are replayed together`, 'add profiles up: dprof merge A.dprofile B.dprofile -o BOTH.dprofile', 2);
      refuseReplayFlags({ ...options, ...(options.flow === false && { noFlow: true }) }, `for ${path}, which was replayed already`, 'give the trace instead of the profile');
      return [readProfile(path)];
    });
    printReports(profiles, options);
  });
}
