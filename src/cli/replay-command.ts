// Stage: command line. `dprof replay`: a trace, or samples, to a profile, or to one for each of several machines.

import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { nameMachines, namedOutputs } from '../machine/machine-names.js';
import { writeProfile } from '../profile/profile-writer.js';
import { closeObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { printReports } from './report-options.js';
import { refuseOwnInput } from './own-input.js';
import { parseShard, writeShard } from './replay-shard.js';
import { replayEach } from './replay-trace.js';
import { areSamples, SAMPLES, sampledProfiles } from './sampled-source.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('replay a trace through simulated caches and write the profile')
    .argument('<traces...>', `${TRACES}; or ${SAMPLES}`)
    .option(
      '-o, --output <profile>',
      'profile to write; -: standard output; with several machines, each has its name before the extension; optional ' +
        'with --schedules',
    )
    .option('--shard <i/n>', "only this share of the cache lines, into a part that 'merge --shards' takes");
  addWindowedReplayFlags(addFlowFlags(command), { severalMachines: true }).action(
    async (traces: readonly string[], options: ReplayFlags & FlowFlags & { output?: string; shard?: string }) => {
      const { output, schedules } = options;
      if (output === undefined && schedules === undefined)
        command.error("error: required option '-o, --output <profile>' not specified", {
          code: 'commander.missingMandatoryOptionValue',
        });
      const request = {
        ...parseReplayFlags(options),
        flow: parseFlowFlags(options, { isWanted: true, isOneSchedule: schedules === undefined }),
      };
      if (options.shard !== undefined) {
        const shard = parseShard(options.shard);
        if (output === undefined) throw new DprofError('--shard needs -o', 'name the part: -o PART', 2);
        return withTraceFiles(traces, (paths) => writeShard(paths, request, shard, output, nameTraces(traces)));
      }
      const outputs = output === undefined ? undefined : outputsFor(output, request);
      const printed: Profile[] = [];
      const use = async (profile: Profile, index: number): Promise<void> => {
        if (outputs !== undefined) await writeProfile(profile, outputs[index]);
        if (schedules !== undefined) printed[index] = profile;
        else closeObjects(profile);
      };
      await withTraceFiles(traces, async (paths) => {
        for (const path of outputs ?? []) refuseOwnInput(path, paths);
        if (!areSamples(paths)) return replayEach(paths, request, use, nameTraces(traces));
        for (const [index, profile] of sampledProfiles(paths, traces, options, request).entries())
          await use(profile, index);
      });
      if (schedules !== undefined) printReports(printed, { view: 'schedules', format: 'text', top: '20' });
    },
  );
}

/** The names of the output files, which are known before anything is replayed. */
function outputsFor(output: string, { machines }: ReplayRequest): string[] {
  if (machines.length === 1) return [output];
  const isNoFile = statSync(output, { throwIfNoEntry: false })?.isFile() === false;
  if (isNoFile)
    throw new DprofError(
      `-o ${output} is not a file, and ${machines.length} machines are ${machines.length} profiles`,
      'name a file, for example -o run.dprofile: run.zen3.dprofile and so on are written',
      2,
    );
  return namedOutputs(output, nameMachines(machines));
}
