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
