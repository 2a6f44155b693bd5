// Stage: command line. What a command was given, traces or one profile, to profiles: traces are replayed.

import { DprofError } from '../base/dprof-error.js';
import { readProfile } from '../profile/profile-reader.js';
import type { Profile } from '../profile/profile.js';
import type { FlowFlags } from './flow-options.js';
import { isProfile } from './is-profile.js';
import { refuseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { nameTraces, withTraceFiles } from './trace-source.js';

/** Of each machine of the request, in its order; of a profile its own. */
export function openProfiles(files: readonly string[], options: ReplayFlags & FlowFlags, request: ReplayRequest): Promise<Profile[]> {
  return withTraceFiles(files, (paths) => {
    const path = paths.find(isProfile);
    if (path === undefined) return replayTrace(paths, request, nameTraces(files));
    if (paths.length > 1) throw new DprofError(`${path} is a profile, and only traces are replayed together`, 'add profiles up: dprof merge A.dprofile B.dprofile -o BOTH.dprofile', 2);
    refuseReplayFlags({ ...options, ...(options.flow === false && { noFlow: true }) }, `for ${path}, which was replayed already`, 'give the trace instead of the profile');
    return [readProfile(path)];
  });
}
