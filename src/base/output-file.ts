// Stage: any. A file that is written under an incomplete name and renamed when it is whole, so no reader finds half of
// it. Devices, pipes and descriptors are written where they are.

import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { DprofError } from './dprof-error.js';
import { OutputClosed, writeAll } from './write-descriptor.js';

export interface OutputFile {
  write(part: Uint8Array): void;
  finish(): void;
  /** Leaves nothing behind. */
  fail(error: unknown): DprofError | OutputClosed;
}

const STANDARD_OUTPUT = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];
/** What the shell opened: the name must stay, also if it leads to a file. */
const DESCRIPTOR = /^\/(dev\/(stderr|fd\/\d+)|proc\/(self|thread-self|\d+)\/fd\/\d+)$/;

/** `path`: `-` is standard output. `what`: as errors call it: the profile. */
export function openOutput(path: string, what: string): OutputFile {
  const { written, target } = placeOf(path);
  let file: number | undefined;
  const close = (): void => {
    if (file !== undefined && file !== 1) closeSync(file);
    file = undefined;
  };
  const fail = (error: unknown): DprofError | OutputClosed => {
    close();
    if (target !== undefined) rmSync(written, { force: true });
    if (error instanceof DprofError || error instanceof OutputClosed) return error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const hint =
      code === 'ENOSPC'
        ? 'the disk is full; free some space or write elsewhere with -o'
        : 'choose another place with -o';
    return new DprofError(`cannot write ${what} ${path} (${code})`, hint);
  };
  try {
    // In place: behind what a file has that the shell opened with >>.
    file = STANDARD_OUTPUT.includes(path) ? 1 : openSync(written, target === undefined ? 'a' : 'w');
  } catch (error) {
    throw fail(error);
  }
  const open = file;
  return {
    write: (part) => writeAll(open, part),
    finish: () => {
      close();
      if (target !== undefined) renameSync(written, target);
    },
    fail,
  };
}

/**
 * The file that is written, and what it is renamed to. Renaming over a device or a pipe would make it a file; over a
 * link, would cut it off what it leads to.
 */
export function placeOf(path: string): { readonly written: string; readonly target?: string } {
  if (STANDARD_OUTPUT.includes(path) || DESCRIPTOR.test(path)) return { written: path };
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) return { written: path };
  const target = there === undefined ? path : realpathSync(path);
  return { written: `${target}.incomplete`, target };
}
