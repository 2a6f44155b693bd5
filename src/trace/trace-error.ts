// Stage: trace -> replay. Everything that can be wrong with a trace's bytes: where, what was expected, what was found.

import { DprofError } from '../base/dprof-error.js';

export class TraceError extends DprofError {
  constructor(
    what: string,
    /** Bytes from the start of the file, or of the chunk's payload or column where `what` says so. */
    readonly offset: number,
    readonly expected: string,
    readonly actual: string,
    hint = 'the file is damaged or was not written by dprof record; record again',
  ) {
    super(`${what} at offset ${offset}: expected ${expected}, found ${actual}`, hint);
    this.name = 'TraceError';
  }
}
