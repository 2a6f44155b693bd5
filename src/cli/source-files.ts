// Stage: command line. Source files by the names that a profile has for them, to their texts. The names come from the
// profile, whoever wrote it, and what is read is printed or put into a page that is sent on: only files that are source
// by all that can be seen of them are read.

import { closeSync, constants, fstatSync, openSync, realpathSync, statSync, type Stats } from 'node:fs';
import { relative, sep } from 'node:path';
import { readAt } from '../base/read-at.js';
import type { SourceText } from '../views/annotated-source.js';
import { placesOf, type PlacesAsked, type SourcePlace } from './source-places.js';

/** Larger ones are no source that a person reads. */
const MOST_BYTES = 1 << 24;
/** The limit of all files together. */
const MOST_BYTES_IN_ALL = 1 << 28;

export function readSources(
  files: readonly string[],
  places: PlacesAsked,
  recordedAt: number | undefined,
): Map<string, SourceText> {
  let room = MOST_BYTES_IN_ALL;
  const texts = new Map<string, SourceText>();
  for (const file of files) {
    const { text, bytes } = readSource(placesOf(file, places), recordedAt, Math.min(room, MOST_BYTES));
    texts.set(file, text);
    room -= bytes;
  }
  return texts;
}

function readSource(
  places: readonly SourcePlace[],
  recordedAt: number | undefined,
  mostBytes: number,
): { readonly text: SourceText; readonly bytes: number } {
  let isPrivate = false;
  for (const { path, isAskedFor } of places) {
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
  const tried = [...new Set(places.map(({ path }) => path))];
  return { text: { state: isPrivate ? 'private' : 'missing', path: null, lines: [], tried }, bytes: 0 };
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
