// Stage: command line. --source-path, --source-dir and --substitute-path: the paths at which a source file may be
// found, in the order in which they are tried.

import { isAbsolute, join } from 'node:path';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { SpelledFile } from '../base/source-file.js';

export interface SourceFlags {
  readonly sourcePath?: readonly string[];
  readonly sourceDir?: readonly string[];
  readonly substitutePath?: readonly PathRule[];
}

/** Names of the options. */
export const SOURCE_FLAGS: Record<keyof SourceFlags, string> = {
  sourcePath: 'source-path',
  sourceDir: 'source-dir',
  substitutePath: 'substitute-path',
};

interface PathRule {
  readonly from: string;
  readonly to: string;
}

export interface PlacesAsked extends SourceFlags {
  /** As a profile has them. A file that they lack is known by its name alone. */
  readonly files?: readonly SpelledFile[];
}

/** `isAskedFor`: the user named the folder, so what is in it may be shown. */
export interface SourcePlace {
  readonly path: string;
  readonly isAskedFor: boolean;
}

export function addSourceFlags(command: Command): Command {
  const collect =
    <One>(parse: (text: string) => One) =>
    (text: string, before: readonly One[] = []): readonly One[] => [...before, parse(text)];
  const folder = collect((text) => text);
  return command
    .addOption(
      new Option('--source-path <folder>', 'folder to look for sources in first; may be repeated').argParser(folder),
    )
    .addOption(
      new Option(
        '--source-dir <folder>',
        'folder to look for sources in that are not where they were compiled; may be repeated',
      ).argParser(folder),
    )
    .addOption(
      new Option(
        '--substitute-path <from=to>',
        'sources that were compiled below FROM are below TO now, as in gdb; may be repeated',
      ).argParser(collect(parseRule)),
    );
}

function parseRule(text: string): PathRule {
  const cut = text.indexOf('=');
  if (cut <= 0)
    throw new DprofError(
      `--substitute-path '${text}' is no FROM=TO`,
      'say which folder sources were compiled in, and where it is now: --substitute-path /build/src=/home/me/src',
      2,
    );
  const trim = (path: string): string => path.replace(/(?<=.)\/+$/, '');
  return { from: trim(text.slice(0, cut)), to: trim(text.slice(cut + 1)) };
}

/**
 * In each folder of --source-path; where the compiler had it, with the first rule that fits; in each folder of
 * --source-dir; under its name from the current folder.
 */
export function placesOf(file: string, { files = [], ...flags }: PlacesAsked): SourcePlace[] {
  const known = files.find(({ spelling }) => spelling === file);
  const { path, name } = known ?? { path: file, name: file };
  // What tells this file from others of its name is not left off.
  const least = name === file ? 1 : partsOf(file).length;
  const below = (folders: readonly string[] = []): SourcePlace[] =>
    folders.flatMap((folder) => {
      const parts = partsOf(path);
      const ends = Array.from({ length: Math.max(1, parts.length - least + 1) }, (_, from) => parts.slice(from));
      return ends.map((end) => ({ path: join(folder, ...end), isAskedFor: true }));
    });
  const rule = flags.substitutePath?.find(({ from }) => isBelow(path, from));
  const compiled =
    rule === undefined
      ? { path, isAskedFor: false }
      : { path: join(rule.to || '/', ...partsOf(path.slice(rule.from.length))), isAskedFor: true };
  const isNameEnough = name === file && !isAbsolute(name) && name !== path;
  return [
    ...below(flags.sourcePath),
    compiled,
    ...below(flags.sourceDir),
    ...(isNameEnough ? [{ path: name, isAskedFor: false }] : []),
  ];
}

/** Borders of folders count: /src fits /src/a.c and not /srcs/a.c. */
function isBelow(path: string, from: string): boolean {
  return path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`);
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
}
