// Stage: command line. Source files by the names that the compiler was given, to their texts: from where they were, or
// from the folders of
// --source-path. The names come from the profile, whoever wrote it, and what is read is printed or put into a page that
// is sent on: only files that are
// source by all that can be seen of them are read.

import { closeSync, constants, fstatSync, openSync, realpathSync, statSync, type Stats } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readAt } from '../base/read-at.js';
import type { SourceText } from '../views/annotated-source.js';

/** Larger ones are no source that a person reads. */
const MOST_BYTES = 1 << 24;
/** The limit of all files together. */
const MOST_BYTES_IN_ALL = 1 << 28;

export function readSources(
  files: readonly string[],
  folders: readonly string[],
  recordedAt: number | undefined,
): Map<string, SourceText> {
  let room = MOST_BYTES_IN_ALL;
  const texts = new Map<string, SourceText>();
  for (const file of files) {
    const { text, bytes } = readSource(file, folders, recordedAt, Math.min(room, MOST_BYTES));
    texts.set(file, text);
    room -= bytes;
  }
  return texts;
}

function readSource(
  file: string,
  folders: readonly string[],
  recordedAt: number | undefined,
  mostBytes: number,
): { readonly text: SourceText; readonly bytes: number } {
  let isPrivate = false;
  for (const { path, isAskedFor } of placesOf(file, folders)) {
    try {
      const found = readText(path, isAskedFor, mostBytes);
      if (found === 'private') isPrivate = true;
      if (typeof found === 'string') continue;
      const lines = found.text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      // A second of grace: recordings say whole seconds.
      const isNewer = recordedAt !== undefined && found.modifiedAt >= recordedAt + 1;
      return { text: { state: isNewer ? 'newer' : 'read', path, lines }, bytes: found.text.length };
    } catch {
      // Not there, or not to be read: the next place.
    }
  }
  return { text: { state: isPrivate ? 'private' : 'missing', path: null, lines: [] }, bytes: 0 };
}

/** In each folder under its whole name, then with folders left off from the front; then where the compiler had it. */
function* placesOf(
  file: string,
  folders: readonly string[],
): Generator<{ readonly path: string; readonly isAskedFor: boolean }> {
  const parts = file.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  for (const folder of folders)
    for (let from = 0; from < parts.length; from++)
      yield { path: join(folder, ...parts.slice(from)), isAskedFor: true };
  yield { path: file, isAskedFor: false };
}

function readText(
  path: string,
  isAskedFor: boolean,
  mostBytes: number,
): { readonly text: string; readonly modifiedAt: number } | 'no source' | 'private' {
  // A pipe or a device is not even opened; what is put in its place meanwhile does not keep the command waiting.
  if (!statSync(path).isFile()) return 'no source';
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    if (!status.isFile() || status.size > mostBytes) return 'no source';
    if (!isAskedFor && !mayBeShown(path, status)) return 'private';
    const bytes = Buffer.alloc(status.size);
    const read = bytes.subarray(0, readAt(file, bytes, 0));
    return read.includes(0) ? 'no source' : { text: read.toString(), modifiedAt: status.mtimeMs / 1000 };
  } finally {
    closeSync(file);
  }
}

/**
 * A file that others may not read, such as a key or a list of passwords, must not be shown. The user's own sources may
 * be private too, so files below the current folder are shown, except hidden ones.
 */
function mayBeShown(path: string, { mode }: Stats): boolean {
  if ((mode & constants.S_IROTH) !== 0) return true;
  const here = realpathSync('.');
  const below = relative(here, realpathSync(path)).split(sep);
  return here !== sep && below.every((part) => !part.startsWith('.'));
}
