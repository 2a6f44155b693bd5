// Stage: profile <-> file. The error that a reader raises for a file that is no profile, or a damaged one.

import { DprofError } from '../base/dprof-error.js';

/** Before the directory; profile-format.ts draws them. */
export const HEADER_BYTES = 32;

/** What can be wrong with a profile's bytes: where, what was expected, what was found. */
export class ProfileError extends DprofError {
  constructor(
    what: string,
    readonly offset: number,
    readonly expected: string,
    readonly actual: string,
    hint = 'the file is damaged or was not written by dprof replay; replay the trace again',
  ) {
    super(`${what} at offset ${offset}: expected ${expected}, found ${actual}`, hint);
    this.name = 'ProfileError';
  }
}
