// Stage: profile -> views. Spells positions in the source, objects and other numbers of a profile.

import { NO_INDEX } from '../base/ids.js';
import { framesOf, type PathFrame } from './frames.js';
import type { Profile } from '../profile/profile.js';

/** "file.c:12", "file.c" if no line is known; null where the debug information does not say. */
export function spellSite({ sites, strings }: Profile, site: number): string | null {
  const file = strings[sites.file[site]];
  return file === '' ? null : sites.line[site] === 0 ? file : `${file}:${sites.line[site]}`;
}

export function spellFunction({ sites, strings }: Profile, site: number): string | null {
  return strings[sites.function[site]] || null;
}

/** The frame that a view shows for a site, and the whole path that it was found in. */
export interface OwnSite {
  readonly function: string | null;
  readonly site: string | null;
  /** The variable or field that receives what is allocated there. */
  readonly receiver: string | null;
  readonly callPath: readonly PathFrame[];
}

/** `of`: what was done there. */
export function ownSite(profile: Profile, site: number, of: 'own' | 'charged' | 'allocation'): OwnSite {
  const frames = framesOf(profile);
  const own = frames[of](site);
  return {
    function: spellFunction(profile, own),
    site: spellSite(profile, own),
    receiver: of === 'allocation' ? frames.receiver(site) : null,
    callPath: frames.path(site),
  };
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

/** The origin of an object: "make list.c:12", "u adi.c:12" where a name receives it, "table main.c:3". */
export function spellOrigin({
  variable,
  receiver = null,
  function: name,
  site,
}: {
  readonly variable: string | null;
  readonly receiver?: string | null;
  readonly function: string | null;
  readonly site: string | null;
}): string {
  return [variable ?? receiver ?? name, site === null ? null : briefSite(site)]
    .filter((part) => part !== null)
    .join(' ');
}

/** A file and a line, 0 for none, or both in one; nothing where no file is known. */
export function briefPlace(file: string | null, line: number | null = null): string {
  return file === null ? '' : `${briefSite(file)}${line ? `:${line}` : ''}`;
}
