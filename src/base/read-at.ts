// Stage: none of its own. Reads are often shorter than what was asked for.

import { readSync } from 'node:fs';

/** Fills `into` with what lies at the offset; how many bytes there were: fewer only at the end of the file. */
export function readAt(file: number, into: Uint8Array, offset: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(file, into, done, into.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
