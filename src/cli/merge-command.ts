// Stage: command line. `dprof merge`: the profiles of several runs to one.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { mergeProfiles } from '../profile/merge-profiles.js';
import type { Profile } from '../profile/profile.js';
import { writeProfile } from '../profile/profile-writer.js';
import { refuseOwnInput } from './own-input.js';
import { readStoredProfile } from './stored-profile.js';
import { mergeShards } from './merge-shards.js';
import { collectWords } from './repeated-option.js';

interface MergeFlags {
  readonly output: string;
  readonly shards?: true;
  readonly trace?: readonly string[];
}

export function addMergeCommand(program: Command): void {
  program
    .command('merge')
    .description('add up the profiles of several runs on one machine and under one schedule')
    .argument('<profiles...>', 'profiles that dprof replay wrote')
    .requiredOption('-o, --output <profile>', 'profile to write; -: standard output')
    .option('--shards', 'the files are all shards of one replay (dprof replay --shard): its profile')
    .option('--trace <file>', 'where the trace of the shards lies now; once for each of several', collectWords)
    .action(async (files: readonly string[], { output, shards, trace }: MergeFlags) => {
      if (shards === true) return mergeShards(files, trace, output);
      if (trace !== undefined) throw new DprofError('--trace is for --shards', 'leave it out', 2);
      refuseOwnInput(output, files);
      if (files.length < 2)
        throw new DprofError(
          'one profile is nothing to merge',
          'name two or more: dprof merge A.dprofile B.dprofile -o BOTH.dprofile',
          2,
        );
      await writeProfile(mergeProfiles(files.map((name) => ({ name, profile: readNamed(name) }))), output);
    });
}

/** An error of one of several files names the file. */
export function readNamed(name: string): Profile {
  try {
    return readStoredProfile(name);
  } catch (error) {
    if (!(error instanceof DprofError) || error.message.includes(name)) throw error;
    throw new DprofError(`${name}: ${error.message}`, error.hint, error.exitCode);
  }
}
