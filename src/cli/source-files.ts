// Stage: command line. Source files by the names that the compiler was given, to their texts: from where they were, or from the folders of
// --source-path.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceText } from '../views/annotated-source.js';

/** Larger ones are no source that a person reads. */
const MOST_BYTES = 1 << 26;

export function readSources(files: readonly string[], folders: readonly string[], recordedAt: number | undefined): Map<string, SourceText> {
  return new Map(files.map((file) => [file, readSource(file, folders, recordedAt)]));
}

function readSource(file: string, folders: readonly string[], recordedAt: number | undefined): SourceText {
  for (const path of placesOf(file, folders)) {
    try {
      const { mtimeMs, size } = statSync(path);
      if (size > MOST_BYTES) continue;
      const lines = readFileSync(path, 'utf8').split('\n');
      if (lines.at(-1) === '') lines.pop();
      // A second of grace: recordings say whole seconds.
      const isNewer = recordedAt !== undefined && mtimeMs / 1000 >= recordedAt + 1;
      return { state: isNewer ? 'newer' : 'read', path, lines };
    } catch {
      // Not there, not a file, not to be read: the next place.
    }
  }
  return { state: 'missing', path: null, lines: [] };
}

/** In each folder under its whole name, then with folders left off from the front; then where the compiler had it. */
function* placesOf(file: string, folders: readonly string[]): Generator<string> {
  const parts = file.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  for (const folder of folders) for (let from = 0; from < parts.length; from++) yield join(folder, ...parts.slice(from));
  yield file;
}
