// Stage: command line. `dprof report`: prints the views of a trace (which it replays) or of a profile.

import { closeSync, openSync, readSync } from 'node:fs';
import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { readProfile } from '../profile/profile-reader.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { addReportFlags, checkReportFlags, printReports, withViewFlags, type ReportFlags } from './report-options.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace or a profile')
    .argument('<files...>', `${TRACES}; or a profile`);
  addWindowedReplayFlags(addReportFlags(command)).action(async (files: readonly string[], options: ReportFlags & ReplayFlags) => {
    checkReportFlags(options);
    const request = parseReplayFlags(withViewFlags(options));
    const profiles = await withTraceFiles(files, (paths) => {
      const path = paths.find(isProfile);
      if (path === undefined) return replayTrace(paths, request, nameTraces(files));
      if (paths.length > 1) throw new DprofError(`${path} is a profile, and only traces are replayed together`, 'add profiles up: dprof merge A.dprofile B.dprofile -o BOTH.dprofile', 2);
      refuseReplayFlags(options, `for ${path}, which was replayed already`, 'give the trace instead of the profile');
      return [readProfile(path)];
    });
    printReports(profiles, options);
  });
}

/** By its first bytes, whatever it is called; what is not a profile is for the trace reader to judge. */
function isProfile(path: string): boolean {
  const magic = Buffer.alloc(PROFILE_MAGIC.length);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    readSync(file, magic, 0, magic.length, 0);
  } catch (error) {
    throw new DprofError(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`, 'name a trace that dprof record wrote, or a profile that dprof replay wrote');
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return magic.toString('latin1') === PROFILE_MAGIC;
}
