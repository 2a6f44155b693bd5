// Stage: none of its own. A file that has no name from the beginning: however this process ends, it is gone.

import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DprofError } from './dprof-error.js';

/** Its descriptor, to read and to write. */
export function openNamelessFile(): number {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'dprof-'));
    try {
      return openSync(join(folder, 'file'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw new DprofError(
      `cannot make a file in ${tmpdir()} (${(error as NodeJS.ErrnoException).code})`,
      'name a folder that can be written: TMPDIR=FOLDER dprof ...',
    );
  }
}
