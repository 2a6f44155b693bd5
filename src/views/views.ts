// Stage: profile -> views. The table of all views, by the name that --view takes.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { buildAddressSet } from './address-set.js';
import { closestNames } from './closest-names.js';
import { buildDataProfile } from './data-profile.js';
import { buildMissClassification } from './miss-classification.js';
import { buildSchedules } from './schedules.js';
import { buildSharingView } from './sharing.js';

export const VIEWS = {
  'data-profile': buildDataProfile,
  'miss-classification': buildMissClassification,
  sharing: buildSharingView,
  'address-set': buildAddressSet,
  schedules: buildSchedules,
} as const;

export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];
/** Those that the profile has something to say in. */
export function viewsOf(profile: Profile): ViewName[] {
  return VIEW_NAMES.filter((name) => name !== 'schedules' || profile.schedules !== undefined);
}

export type ViewOf<Name extends ViewName> = ReturnType<(typeof VIEWS)[Name]>;
export type AnyView = ViewOf<ViewName>;

/** Only rows that concern the type; totals and ledger stay those of the whole run. */
export function filterByType(view: AnyView, type: string): AnyView {
  const rows: readonly AnyView['rows'][number][] = view.rows;
  const kept = rows.filter((row) => ('type' in row ? row.type === type : row.missed.type === type || row.writer.type === type));
  return { ...view, rows: kept } as AnyView;
}

export function requireType(profile: Profile, type: string): void {
  const names = Array.from(profile.types.name, (name) => profile.strings[name]);
  if (names.includes(type)) return;
  const closest = closestNames(type, names);
  const hint = closest.length === 0 ? 'the profile names no types' : `did you mean ${closest.map((name) => `'${name}'`).join(', ')}?`;
  throw new DprofError(`no type in this profile is named '${type}'`, hint);
}
