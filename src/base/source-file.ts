// Stage: all. Source files: what a file is called, and which file it is. A file is its path: the compiler's directory
// and the name that the compiler was given. Only its name is shown, unless two files have the same.

import { posix } from 'node:path';

export interface SourceFile {
  /** As it was given to the compiler, or as a `#line` has it. */
  readonly name: string;
  /** Without `.`, `..` and double slashes. Links are not followed: the sources may not be here. */
  readonly path: string;
}

const SEPARATOR = '\0';

/** A file as units name it: one string for directory and name, which no other file has. */
export function joinFile(directory: string, name: string): string {
  return directory === '' ? name : `${directory}${SEPARATOR}${name}`;
}

/** The two parts of it; the directory is "" if it is not known. */
export function splitFile(file: string): { readonly directory: string; readonly name: string } {
  const cut = file.indexOf(SEPARATOR);
  return cut < 0 ? { directory: '', name: file } : { directory: file.slice(0, cut), name: file.slice(cut + 1) };
}

export function sourceFile(file: string): SourceFile {
  const { directory, name } = splitFile(file);
  return {
    name,
    path: name === '' ? '' : posix.normalize(posix.isAbsolute(name) ? name : posix.join(directory, name)),
  };
}

export interface SpelledFile extends SourceFile {
  /** The shortest name that the file was given, and of those the first. */
  readonly name: string;
  /** No other file's. */
  readonly spelling: string;
}

/**
 * By path. A file is spelled by its name, if no other file has that; else by as much of the end of its path as no other
 * path ends with. The result depends on which files they are, not on their order.
 */
export function spellFiles(files: Iterable<SourceFile>): ReadonlyMap<string, SpelledFile> {
  const nameOf = new Map<string, string>();
  for (const { name, path } of files) {
    const known = nameOf.get(path);
    if (known === undefined || isSimpler(name, known)) nameOf.set(path, name);
  }
  const paths = [...nameOf.keys()];
  const counts = new Map<string, number>();
  for (const name of nameOf.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    [...nameOf].map(([path, name]) => [
      path,
      { name, path, spelling: counts.get(name) === 1 ? name : distinctEnd(path, paths) },
    ]),
  );
}

function isSimpler(name: string, known: string): boolean {
  return name.length < known.length || (name.length === known.length && name < known);
}

function distinctEnd(path: string, paths: readonly string[]): string {
  const others = paths.filter((other) => other !== path);
  const parts = path.split('/');
  for (let from = parts.length - 1; from > 0; from--) {
    const end = parts.slice(from).join('/');
    if (others.every((other) => other !== end && !other.endsWith(`/${end}`))) return end;
  }
  return path;
}
