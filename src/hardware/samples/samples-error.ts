// Stage: hardware. Everything that can be wrong with the bytes of samples, perf's or dprof's own: where, what was
// expected, what was found.

import { DprofError } from '../../base/dprof-error.js';

export class SamplesError extends DprofError {
  constructor(
    what: string,
    /** Bytes from the start of the file; inside compressed records, of what they unpack to. */
    readonly offset: number,
    readonly expected: string,
    readonly actual: string,
    hint = 'the file is damaged or was cut short; record it again with perf record',
  ) {
    super(`${what} at offset ${offset}: expected ${expected}, found ${actual}`, hint);
    this.name = 'SamplesError';
  }
}
