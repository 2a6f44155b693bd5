// Stage: command line. What a command was given, traces or one profile, to profiles: traces are replayed.

import { closeSync, openSync, readSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { readProfile } from '../profile/profile-reader.js';
import type { Profile } from '../profile/profile.js';
import type { FlowFlags } from './flow-options.js';
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

/** By its first bytes, whatever it is called; what is not a profile is for the trace reader to judge. */
export function isProfile(path: string): boolean {
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
