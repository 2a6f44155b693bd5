// Stage: command line. A command's trace argument -> a file that can be read at any offset. What comes as a stream is
// copied first. The copy never has a name, so it is gone however this process ends.

import { closeSync, readdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { DprofError } from '../base/dprof-error.js';
import { openNamelessFile } from '../base/nameless-file.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { SAMPLES_MAGIC } from '../hardware/samples/samples-format.js';
import { TRACE_MAGIC } from '../trace/layout.js';
import { beginsWith, comesAsStream, openByteStream, STANDARD_INPUT, statusOf } from './byte-stream.js';

/** The help text of a command's argument. */
export const TRACES =
  'a trace (-: standard input; unix:PATH), or several, or a folder of them: processes on one machine';

/**
 * A file that may come from a pipe: the bytes that it may begin with (an empty list: any), its name for messages, and
 * how to make it.
 */
export interface WantedFile {
  readonly magics: readonly string[];
  readonly what: string;
  readonly hint: string;
}

const TRACE: WantedFile = {
  magics: [TRACE_MAGIC, PROFILE_MAGIC, SAMPLES_MAGIC, HISTORIES_MAGIC],
  what: 'a trace',
  hint: 'dprof record -o - -- PROGRAM | dprof replay - -o PROFILE',
};

/** As the user would call them. */
export function nameTraces(named: readonly string[]): string {
  return named.length === 1 ? named[0] : `${named[0]} and ${named.length - 1} more`;
}

/** `use` gets a path for each trace, those of a folder in the place of the folder. */
export async function withTraceFiles<T>(
  named: readonly string[],
  use: (paths: readonly string[]) => T | Promise<T>,
): Promise<T> {
  const isFolder = (name: string): boolean => statusOf(name)?.isDirectory() === true;
  const traces = named.length === 1 ? named : named.filter((name) => !(isFolder(name) && isKeptFolder(name)));
  const files = traces.flatMap((name) => (isFolder(name) ? tracesIn(name) : [name]));
  if (files.filter((name) => name === STANDARD_INPUT).length > 1)
    throw new DprofError('standard input is one trace', 'name the others as files', 2);
  const open = (paths: readonly string[]): Promise<T> | T =>
    paths.length === files.length ? use(paths) : withTraceFile(files[paths.length], (path) => open([...paths, path]));
  return open([]);
}

/** `x.dptrace x.dptrace.*` names the profiles that are kept of the first, too. */
function isKeptFolder(name: string): boolean {
  return /\.dptrace(\.\d+)*\.cache\/*$/.test(name);
}

/** As dprof record names them: a process's behind that of the program which began it. */
function tracesIn(folder: string): string[] {
  const names = readdirSync(folder)
    .filter((name) => /\.dptrace(\.\d+)*$/.test(name))
    .sort();
  if (names.length === 0)
    throw new DprofError(`no traces in ${folder}`, 'name a folder with *.dptrace files, or the traces themselves', 2);
  return names.map((name) => join(folder, name));
}

/**
 * `use` gets a path; what it says of that path in an error is said of what the user named. `opened`: its bytes, if
 * somebody has opened them already.
 */
export async function withTraceFile<T>(
  named: string,
  use: (path: string) => T | Promise<T>,
  wanted = TRACE,
  opened?: Readable,
): Promise<T> {
  const isInput = named === STANDARD_INPUT;
  if (isInput && isatty(0)) throw new DprofError(`standard input is a terminal, not ${wanted.what}`, wanted.hint, 2);
  const isStream = comesAsStream(named);
  if (!isInput && !isStream) return use(named);
  const copy = isStream ? await copyOf(named, wanted.magics, opened) : 0;
  const path = `/proc/self/fd/${copy}`;
  try {
    return await use(path);
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    throw new DprofError(
      error.message.replaceAll(path, isInput ? 'standard input' : named),
      error.hint,
      error.exitCode,
    );
  } finally {
    if (copy !== 0) closeSync(copy);
  }
}

/**
 * Copies the input to a file without a name, and returns its descriptor. If the input does not begin as it should, only
 * its beginning is copied, for the reader to judge: it may never end.
 */
async function copyOf(named: string, magics: readonly string[], opened?: Readable): Promise<number> {
  const copy = openNamelessFile();
  try {
    const source = opened ?? (await openByteStream(named));
    const isWanted = magics.length === 0 || (await beginsWith(source, magics));
    for await (const part of source as AsyncIterable<Buffer>) {
      for (let done = 0; done < part.length; ) done += writeSync(copy, part, done);
      if (!isWanted) break;
    }
  } catch (error) {
    closeSync(copy);
    if (error instanceof DprofError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new DprofError(
      `cannot copy ${named === STANDARD_INPUT ? 'standard input' : named} into ${tmpdir()} (${code})`,
      'name a folder with room: TMPDIR=FOLDER dprof ...',
    );
  }
  return copy;
}
