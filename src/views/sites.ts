// Stage: profile -> views. Spells positions in the source, objects and other numbers of a profile.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';

/** "file.c:12"; null where the debug information does not say. */
export function spellSite({ sites, strings }: Profile, site: number): string | null {
  const file = strings[sites.file[site]];
  return file === '' ? null : `${file}:${sites.line[site]}`;
}

export function spellFunction({ sites, strings }: Profile, site: number): string | null {
  return strings[sites.function[site]] || null;
}

/** The string of that number; null for none. */
export function spellName({ strings }: Profile, number: number): string | null {
  return number === NO_INDEX ? null : strings[number];
}

/** A position without its folders: a table has no room for them, JSON and CSV have. */
export function briefSite(site: string): string;
export function briefSite(site: string | null): string | null;
export function briefSite(site: string | null): string | null {
  return site === null ? null : site.slice(site.lastIndexOf('/') + 1);
}

/** The origin of an object: "make list.c:12", "table main.c:3". */
export function spellOrigin({
  variable,
  function: name,
  site,
}: {
  readonly variable: string | null;
  readonly function: string | null;
  readonly site: string | null;
}): string {
  return [variable ?? name, site === null ? null : briefSite(site)].filter((part) => part !== null).join(' ');
}

/** A file and a line, 0 for none, or both in one; nothing where no file is known. */
export function briefPlace(file: string | null, line: number | null = null): string {
  return file === null ? '' : `${briefSite(file)}${line ? `:${line}` : ''}`;
}
