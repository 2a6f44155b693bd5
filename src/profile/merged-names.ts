// Stage: profiles -> profile. Names of types and files where several profiles come together: what is the same in two of
// them gets one name, and what only reads the same gets two.

import { spellFiles, type SpelledFile } from '../base/source-file.js';
import { nameTypes, type TypeDefinition } from '../trace/type-names.js';
import type { NewNames, TypeLayout } from './layouts.js';
import type { Profile } from './profile.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** What is asked of a profile. */
type Named = Pick<Profile, 'layouts' | 'files'>;

/** `files` is undefined if no profile says which files it means. */
export function mergeNames(profiles: readonly Named[]): {
  readonly files: readonly SpelledFile[] | undefined;
  readonly names: readonly NewNames[];
} {
  const spelled = spellFiles(profiles.flatMap(({ files = [] }) => files));
  const paths = profiles.map(({ files = [] }) => new Map(files.map(({ spelling, path }) => [spelling, path])));
  const bySpelling = only([...spelled.values()], ({ name }) => name);
  const fileOf = (index: number, spelling: string): string =>
    spelled.get(paths[index].get(spelling) ?? '')?.spelling ?? bySpelling.get(spelling)?.spelling ?? spelling;
  const types = mergeTypes(profiles, fileOf);
  return {
    files: profiles.every(({ files }) => files === undefined) ? undefined : sortFiles([...spelled.values()]),
    names: profiles.map((_, index) => ({ type: types[index], file: (spelling) => fileOf(index, spelling) })),
  };
}

function mergeTypes(
  profiles: readonly Named[],
  fileOf: (index: number, spelling: string) => string,
): ((name: string) => string)[] {
  const definitions = new Map<string, TypeDefinition>();
  const keys = profiles.map(({ layouts = [] }, index) => {
    const own = new Map<string, string>();
    for (const layout of layouts) {
      if (layout.digest === undefined) continue;
      const one = define(layout, fileOf(index, layout.file));
      const key = `${layout.kind}\n${JSON.stringify(one)}`;
      definitions.set(key, one);
      own.set(layout.name, key);
    }
    return own;
  });
  const shared = new Set(profiles.flatMap(({ layouts = [] }) => layouts.flatMap(({ tag }) => tag ?? [])));
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  const names = nameTypes(
    sorted.map(([, one]) => one),
    (tag) => shared.has(tag),
  );
  const nameOf = new Map(sorted.map(([key], index) => [key, names[index]]));
  // Of an opaque type, and in an older profile, only the name is known: it is the one definition of that name.
  const byTag = only(sorted, ([, { tag }]) => tag);
  return keys.map((own) => (name) => {
    const key = own.get(name) ?? byTag.get(name)?.[0];
    return key === undefined ? name : nameOf.get(key)!;
  });
}

function define({ name, tag = name, sizeBytes, line, digest = '' }: TypeLayout, file: string): TypeDefinition {
  return { tag, sizeBytes, file, line, layout: digest };
}

/** Those whose key no other has. */
function only<One>(all: readonly One[], keyOf: (one: One) => string): ReadonlyMap<string, One> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return new Map(all.filter((one) => counts.get(keyOf(one)) === 1).map((one) => [keyOf(one), one]));
}

export function sortFiles(files: readonly SpelledFile[]): readonly SpelledFile[] {
  return [...files].sort((a, b) => (a.spelling < b.spelling ? -1 : 1));
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkFiles(files: unknown): void {
  const isFile = (value: unknown): boolean => {
    const { spelling, name, path } = (value ?? {}) as Partial<Record<keyof SpelledFile, unknown>>;
    return [spelling, name, path].every((text) => typeof text === 'string');
  };
  if (!Array.isArray(files) || !files.every(isFile))
    throw new ProfileError('files of the profile', HEADER_BYTES, 'spelling, name and path of each', 'something else');
}
