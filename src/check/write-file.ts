// Stage: check. A small file, written whole or not at all.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DprofError } from '../base/dprof-error.js';

export function writeOutputFile(path: string, text: string): void {
  const part = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(part, text);
    renameSync(part, path);
  } catch (error) {
    removeQuietly(part);
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
