// Stage: command line. `dprof replay`: a trace to a profile.

import type { Command } from 'commander';
import { writeProfile } from '../profile/profile-writer.js';
import { addReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { withTraceFile } from './trace-source.js';

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('run a trace through the simulated caches and write the profile')
    .argument('<trace>', 'trace that dprof record wrote; -: standard input')
    .requiredOption('-o, --output <profile>', 'profile to write');
  addReplayFlags(command).action(async (trace: string, options: ReplayFlags & { output: string }) => {
    const request = parseReplayFlags(options);
    writeProfile(await withTraceFile(trace, (path) => replayTrace(path, request, trace)), options.output);
  });
}
