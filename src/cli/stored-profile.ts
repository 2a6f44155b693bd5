// Stage: command line. A profile that the user names.

import { DprofError } from '../base/dprof-error.js';
import { readProfile } from '../profile/profile-reader.js';
import type { Profile } from '../profile/profile.js';

/** Throws DprofError for one of a check, whose objects are sums: no view would say so. */
export function readStoredProfile(path: string): Profile {
  const profile = readProfile(path);
  if (!profile.objectsAreSums) return profile;
  throw new DprofError(
    `${path} is of a check of very many objects, and has only sums of them`,
    'give the trace instead: dprof report RUN.dptrace',
    2,
  );
}
