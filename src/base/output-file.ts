// Stage: any. A file that is written under an incomplete name and renamed when it is whole, so no reader finds half of
// it.

import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { DprofError } from './dprof-error.js';

export interface OutputFile {
  write(part: Uint8Array): void;
  finish(): void;
  /** Leaves nothing behind. */
  fail(error: unknown): DprofError;
}

/** `what`: as errors call it: the profile. */
export function openOutput(path: string, what: string): OutputFile {
  // A device or a pipe is written to, never replaced: renaming over it would make it a file.
  const inPlace = statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  const target = inPlace ? path : `${path}.incomplete`;
  let file: number | undefined;
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const fail = (error: unknown): DprofError => {
    close();
    if (!inPlace) rmSync(target, { force: true });
    if (error instanceof DprofError) return error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const hint =
      code === 'ENOSPC'
        ? 'the disk is full; free some space or write elsewhere with -o'
        : 'choose another place with -o';
    return new DprofError(`cannot write ${what} ${path} (${code})`, hint);
  };
  try {
    file = openSync(target, 'w');
  } catch (error) {
    throw fail(error);
  }
  const open = file;
  return {
    write: (part) => {
      for (let at = 0; at < part.length; ) at += writeSync(open, part, at);
    },
    finish: () => {
      close();
      if (!inPlace) renameSync(target, path);
    },
    fail,
  };
}
