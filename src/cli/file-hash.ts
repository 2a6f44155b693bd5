// Stage: command line. What is in files that a run depends on, as short texts.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

const PART = Buffer.alloc(1 << 20);

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** null: it is gone. */
export function hashOrGone(path: string): string | null {
  return isFile(path) ? hashOfFile(path) : null;
}

/** Of all of it, part by part: it may be larger than memory. */
export function hashOfFile(path: string): string {
  try {
    if (!isFile(path)) throw Object.assign(new Error(), { code: existsSync(path) ? 'no regular file' : 'ENOENT' });
    const file = openSync(path, 'r');
    try {
      const sum = createHash('sha256');
      for (let count = readSync(file, PART); count > 0; count = readSync(file, PART))
        sum.update(PART.subarray(0, count));
      return sum.digest('hex');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new DprofError(`${path}: ${code}`, 'the run depends on it', 2);
  }
}

export function hashOfText(of: string): string {
  return createHash('sha256').update(of).digest('hex');
}
