// Stage: profiles -> diff. Types of two runs by one name. Where a program has several types that are called the same,
// their names say where they are declared, and an edit moves that: the line, or that there are several at all.

import type { Profile } from '../profile/profile.js';
import type { TypeLayout } from '../profile/layouts.js';
import { pairResizedSites } from './resized-sites.js';

export interface AlignedTypes {
  /** `before` with the names that `after` has for its types. */
  readonly profile: Profile;
  /** By these names: what `before` itself calls the type, if that is another name. */
  readonly ownNames: ReadonlyMap<string, string>;
}

export function alignTypes(before: Profile, after: Profile): AlignedTypes {
  const namesOf = ({ types, strings }: Profile): string[] => Array.from(types.name, (number) => strings[number]);
  const names = new Map([...pairNames(before, after), ...pairResizedSites(namesOf(before), namesOf(after))]);
  return {
    profile: rename(before, names),
    ownNames: new Map(Array.from(names, ([own, other]) => [other, own])),
  };
}

function rename(before: Profile, names: ReadonlyMap<string, string>): Profile {
  if (names.size === 0) return before;
  const strings = [...before.strings];
  const numberOf = (text: string): number => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const name = before.types.name.map((number) => {
    const to = names.get(before.strings[number]);
    return to === undefined ? number : numberOf(to);
  });
  return { ...before, strings, types: { ...before.types, name } };
}

/** Names of `before` that `after` does not have, to its name of the same type. */
function pairNames(before: Profile, after: Profile): ReadonlyMap<string, string> {
  const [own, other] = [before, after].map(({ layouts = [] }) => layouts);
  const [known, taken] = [other, own].map((layouts) => new Set(layouts.map(({ name }) => name)));
  const free = other.filter(({ name }) => !taken.has(name));
  const pairs = new Map<string, string>();
  for (const layout of own) {
    if (known.has(layout.name)) continue;
    const alike = free
      .filter(({ name, tag = name }) => tag === (layout.tag ?? layout.name) && ![...pairs.values()].includes(name))
      .map((one) => ({ one, likeness: likeness(pathOf(before, layout), pathOf(after, one), layout, one) }))
      .filter(({ likeness: [folders] }) => folders > 0)
      .sort((a, b) => compare(b.likeness, a.likeness));
    const isClear = alike.length === 1 || (alike.length > 1 && compare(alike[0].likeness, alike[1].likeness) > 0);
    if (isClear) pairs.set(layout.name, alike[0].one.name);
  }
  return pairs;
}

function pathOf({ files = [] }: Profile, { file }: TypeLayout): string {
  return files.find(({ spelling }) => spelling === file)?.path ?? file;
}

/** How much of the ends of their paths is the same, then whether they are laid out alike, then the line. */
function likeness(path: string, other: string, a: TypeLayout, b: TypeLayout): number[] {
  const [first, second] = [path, other].map((text) => text.split('/').reverse());
  const differs = first.findIndex((part, at) => part !== second[at]);
  return [differs < 0 ? first.length : differs, Number(a.digest === b.digest), Number(a.line === b.line)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at] - b[at];
}
