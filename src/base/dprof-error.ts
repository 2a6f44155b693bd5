// Stage: all. An error that a user can mend or must be told: one line, then a hint. The CLI prints both and exits with
// `exitCode`.

export class DprofError extends Error {
  constructor(
    message: string,
    /** The remedy, printed on the next line. */
    readonly hint: string,
    /** 1: dprof could not do it; 2: wrong usage. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
    this.name = 'DprofError';
  }
}
