// Stage: profile -> views. The table of all views, by the name that --view takes.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { buildAddressSet } from './address-set.js';
import { closestNames } from './closest-names.js';
import { buildDataProfile } from './data-profile.js';
import { buildLocks, locksCsv, type Locks } from './locks.js';
import { buildMissClassification, type ClassifiedRow } from './miss-classification.js';
import { buildSchedules } from './schedules.js';
import { buildSharedVariables, sharedVariablesCsv, type SharedVariables } from './shared-variables.js';
import { buildSharingView } from './sharing.js';
import { buildEvictions, buildInvalidations } from './takers.js';
import { buildUnusedBytes } from './unused-bytes.js';
import type { View } from './view.js';

export const VIEWS = {
  'data-profile': buildDataProfile,
  'miss-classification': buildMissClassification,
  sharing: buildSharingView,
  'address-set': buildAddressSet,
  evictions: buildEvictions,
  invalidations: buildInvalidations,
  'unused-bytes': buildUnusedBytes,
  locks: buildLocks,
  'shared-variables': buildSharedVariables,
  schedules: buildSchedules,
} as const;

/** Views that can be ranked by estimated cycles. */
export const RANKED_VIEWS: readonly ViewName[] = ['data-profile', 'miss-classification', 'address-set'];

export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];
/** Those that the profile has something to say in. */
export function viewsOf(profile: Profile): ViewName[] {
  const isThere: Partial<Record<ViewName, boolean>> = { schedules: profile.schedules !== undefined, locks: profile.locks !== undefined, 'shared-variables': profile.sharedVariables !== undefined };
  return VIEW_NAMES.filter((name) => isThere[name] !== false);
}

/** What CSV has for rows: JSON's, where each has the same columns. */
export function csvRows(name: ViewName, view: AnyView): readonly object[] {
  if (name === 'locks') return locksCsv(view as Locks);
  return name === 'shared-variables' ? sharedVariablesCsv(view as SharedVariables) : view.rows;
}

export type ViewOf<Name extends ViewName> = ReturnType<(typeof VIEWS)[Name]>;
export type AnyView = ViewOf<ViewName> | View<ClassifiedRow>;

/** Only rows that concern the type; totals and ledger stay those of the whole run. Rows that name no type were made for it alone. */
export function filterByType(view: AnyView, type: string): AnyView {
  const rows = view.rows as readonly object[];
  return { ...view, rows: rows.filter((row) => concerns(row, type)) } as unknown as AnyView;
}

function concerns(row: { type?: string; missed?: { type: string }; writer?: { type: string }; taker?: string; owner?: string; data?: readonly { type: string }[] }, type: string): boolean {
  const named = [row.type, row.missed?.type, row.writer?.type, row.taker, row.owner, ...(row.data ?? []).map((part) => part.type)].filter((name) => name !== undefined);
  return named.length === 0 || named.includes(type);
}

export function requireType(profile: Profile, type: string): void {
  const names = Array.from(profile.types.name, (name) => profile.strings[name]);
  if (names.includes(type)) return;
  // What is no type of the program can be asked for, but nobody mistypes it.
  const closest = closestNames(type, names.filter((name) => name !== '(no object)'));
  const hint = closest.length === 0 ? 'the profile names no types' : `did you mean ${closest.map((name) => `'${name}'`).join(', ')}?`;
  throw new DprofError(`no type in this profile is named '${type}'`, hint);
}
