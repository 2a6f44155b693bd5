// Stage: command line. Files given to a command (traces, samples or one profile) -> profiles. Traces are replayed.

import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import type { Profile } from '../profile/profile.js';
import type { FlowFlags } from './flow-options.js';
import { hasMagic } from './has-magic.js';
import { refuseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { areSamples, sampledProfiles } from './sampled-source.js';
import { readStoredProfile } from './stored-profile.js';
import { nameTraces, withTraceFiles } from './trace-source.js';

/** One profile for each machine of the request, in its order; a stored profile has its own machine. */
export function openProfiles(
  files: readonly string[],
  options: ReplayFlags & FlowFlags,
  request: ReplayRequest,
): Promise<Profile[]> {
  return withTraceFiles(files, (paths) => profilesOf(paths, files, options, request));
}

/** Likewise, of files that can be read anywhere in; `named`: as the user calls them. */
export async function profilesOf(
  paths: readonly string[],
  named: readonly string[],
  options: ReplayFlags & FlowFlags,
  request: ReplayRequest,
): Promise<Profile[]> {
  if (areSamples(paths)) return sampledProfiles(paths, named, options, request);
  const path = paths.find((each) => hasMagic(each, PROFILE_MAGIC));
  if (path === undefined) return replayTrace(paths, request, nameTraces(named));
  if (paths.length > 1)
    throw new DprofError(
      `${path} is a profile, and only traces are replayed together`,
      'add profiles up: dprof merge A.dprofile B.dprofile -o BOTH.dprofile',
      2,
    );
  refuseReplayFlags(options, `for ${path}, which was replayed already`, 'give the trace instead of the profile');
  return [readStoredProfile(path)];
}
