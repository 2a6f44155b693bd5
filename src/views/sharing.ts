// Stage: profile -> views. Sharing: which access keeps missing because of which store by another core, both sides
// named.

import { NO_INDEX } from '../base/ids.js';
import type { Profile, SharingSideColumns } from '../profile/profile.js';
import { CLASSES, type MissClass } from '../replay/machine.js';
import { RELATIONS } from '../replay/result.js';
import { wrapRows } from './envelope.js';
import { spellFunction, spellName, spellSite } from './sites.js';
import type { View } from './view.js';

export interface SharingSide {
  readonly type: string;
  readonly field: string | null;
  /** Name of the global, thread-local or stack variable it lies in. */
  readonly variable: string | null;
  readonly function: string | null;
  readonly site: string | null;
  /** Where the object was allocated, or the variable is declared. */
  readonly allocatedAt: string | null;
  /** Thread that allocated it; null for globals and unknown memory. */
  readonly allocatedBy: number | null;
}

export interface SharingRow {
  readonly class: MissClass;
  readonly misses: number;
  readonly relation: (typeof RELATIONS)[number];
  readonly missed: SharingSide;
  readonly writer: SharingSide;
}

export type Sharing = View<SharingRow>;

export function buildSharingView(profile: Profile): Sharing {
  const { sharing } = profile;
  const rows = Array.from(sharing.class, (_, row) => ({
    class: CLASSES[sharing.class[row]],
    misses: sharing.misses[row],
    relation: RELATIONS[sharing.relation[row]],
    missed: spellSide(profile, sharing.missed, row),
    writer: spellSide(profile, sharing.writer, row),
  }));
  return wrapRows(profile, 'sharing', rows);
}

function spellSide(profile: Profile, side: SharingSideColumns, row: number): SharingSide {
  return {
    type: profile.strings[profile.types.name[side.type[row]]],
    field: spellName(profile, side.field[row]),
    variable: spellName(profile, side.variable[row]),
    function: spellFunction(profile, side.site[row]),
    site: spellSite(profile, side.site[row]),
    allocatedAt: spellSite(profile, side.allocationSite[row]),
    allocatedBy: side.allocationThread[row] === NO_INDEX ? null : side.allocationThread[row],
  };
}
