// Stage: command line. Refuses to write over what a command reads, which would then be lost.

import { statSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

/** Neither may be there; `-` is no file. */
export function refuseOwnInput(output: string, inputs: readonly string[]): void {
  const own = statSync(output, { throwIfNoEntry: false });
  if (own?.isFile() !== true) return;
  const same = inputs.find((input) => {
    const other = statSync(input, { throwIfNoEntry: false });
    return other !== undefined && other.ino === own.ino && other.dev === own.dev;
  });
  if (same !== undefined)
    throw new DprofError(`-o ${output} is what is read (${same})`, 'name another file: it would be lost', 2);
}
