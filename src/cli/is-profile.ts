// Stage: command line. Whether a file is a profile: by its first bytes, whatever it is called; what is not one is for the trace reader to judge.

import { closeSync, openSync, readSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';

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
