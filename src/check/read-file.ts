// Stage: check. A small file that people write, read as far as it may go: a device has no end.

import { closeSync, openSync, readSync } from 'node:fs';

/** undefined: it has more bytes than that. Throws what Node says of a file that cannot be read. */
export function readSmallFile(path: string, mostBytes: number): string | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(mostBytes + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null);
    return length > mostBytes ? undefined : bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
