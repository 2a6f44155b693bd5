// Stage: check. A small file, written whole or not at all. Devices, pipes and descriptors are written where they are.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { placeOf } from '../base/output-file.js';

export function writeOutputFile(path: string, text: string): void {
  let part: string | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const { written, target } = placeOf(path);
    if (target === undefined) return writeFileSync(written, text, { flag: 'a' });
    part = `${target}.${process.pid}`; // several checks may write one file
    writeFileSync(part, text);
    renameSync(part, target);
  } catch (error) {
    if (part !== undefined) removeQuietly(part);
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new DprofError(`cannot write ${path}: ${code}`, 'nothing was overwritten');
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It could not even be made.
  }
}
