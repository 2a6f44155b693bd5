// Stage: command line. Any failure to one line and a hint on standard error, and an exit code.

import { writeSync } from 'node:fs';
import { CommanderError } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { OutputClosed } from '../base/write-descriptor.js';
import { spellVisibly } from '../report/visible-text.js';

/** The exit code. */
export function printError(error: unknown): number {
  if (error instanceof OutputClosed) return 0;
  if (error instanceof CommanderError) return printUsageError(error);
  if (error instanceof DprofError) {
    writeLines(`dprof: ${error.message}`, `hint: ${error.hint}`);
    return error.exitCode;
  }
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EACCES' || code === 'EROFS' || code === 'EDQUOT') {
    writeLines(`dprof: cannot write the output (${code})`, 'hint: free some space, or write elsewhere');
  } else {
    writeLines(
      `dprof: internal error: ${String(message ?? error).split('\n')[0]}`,
      'hint: this is a bug in dprof; DPROF_DEBUG=1 shows where',
    );
    if (process.env.DPROF_DEBUG) writeLines(...(stack ?? '').split('\n'));
  }
  return 1;
}

function printUsageError(error: CommanderError): number {
  if (error.exitCode === 0) return 0;
  const [first, ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/g, '');
  writeLines(
    `dprof: ${first}`,
    `hint: ${suggestion || "'dprof --help' and 'dprof COMMAND --help' list what there is"}`,
  );
  return 2;
}

/** Messages and hints name what stands in traces and profiles. */
function writeLines(...lines: string[]): void {
  try {
    writeSync(2, `${lines.map(spellVisibly).join('\n')}\n`);
  } catch {
    // Nobody can be told.
  }
}
