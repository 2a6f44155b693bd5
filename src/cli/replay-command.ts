// Stage: command line. `dprof replay`: a trace to a profile.

import type { Command } from 'commander';
import { writeProfile } from '../profile/profile-writer.js';
import { addReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { printReport } from './report-options.js';
import { replayTrace } from './replay-trace.js';
import { withTraceFile } from './trace-source.js';

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('run a trace through the simulated caches and write the profile')
    .argument('<trace>', 'trace that dprof record wrote; -: standard input')
    .option('-o, --output <profile>', 'profile to write; with --schedules, which prints, it may be left out');
  addReplayFlags(command).action(async (trace: string, options: ReplayFlags & { output?: string }) => {
    const { output, schedules } = options;
    if (output === undefined && schedules === undefined) command.error("error: required option '-o, --output <profile>' not specified", { code: 'commander.missingMandatoryOptionValue' });
    const request = parseReplayFlags(options);
    const profile = await withTraceFile(trace, (path) => replayTrace(path, request, trace));
    if (output !== undefined) writeProfile(profile, output);
    if (schedules !== undefined) printReport(profile, { view: 'schedules', format: 'text', top: '20' });
  });
}
