// Stage: command line. A page of HTML as a file.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

/** Under its name when it is whole. */
export function writePage(page: string, path: string): void {
  const incomplete = `${path}.incomplete`;
  try {
    writeFileSync(incomplete, page);
    renameSync(incomplete, path);
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw new DprofError(`cannot write ${path} (${(error as NodeJS.ErrnoException).code})`, 'name a file in a folder that can be written to: -o report.html');
  }
}
