// Stage: command line. The kind of a file, by its first bytes, whatever its name.

import { closeSync, openSync, readSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

/** True if the file begins with `magic`. The trace reader judges all other files. */
export function hasMagic(path: string, magic: string): boolean {
  const found = Buffer.alloc(magic.length);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    readSync(file, found, 0, found.length, 0);
  } catch (error) {
    throw new DprofError(
      `cannot read ${path} (${(error as NodeJS.ErrnoException).code})`,
      'name a trace that dprof record wrote, or a profile that dprof replay wrote',
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return found.toString('latin1') === magic;
}
