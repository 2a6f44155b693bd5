// Stage: profile -> views. The table of all views, by the name that --view takes.

import type { Profile } from '../profile/profile.js';
import { buildAddressSet } from './address-set.js';
import { buildDataFlow } from './data-flow.js';
import { buildDataProfile } from './data-profile.js';
import { buildFunctions } from './functions.js';
import { buildLocks } from './locks.js';
import { buildMissClassification, type ClassifiedRow } from './miss-classification.js';
import { buildPathTraces } from './path-traces.js';
import { filterRows, type FilterName } from './row-filter.js';
import { isSampledView, markSampled, requireSampledView } from './sampled-view.js';
import { buildSchedules } from './schedules.js';
import { buildSharedVariables } from './shared-variables.js';
import { buildSharingView } from './sharing.js';
import { buildStructLayout } from './struct-layout.js';
import { buildEvictions, buildInvalidations } from './takers.js';
import { buildUnusedBytes } from './unused-bytes.js';
import type { View, ViewOptions } from './view.js';
import { buildWorkingSet } from './working-set.js';

export const VIEWS = {
  'data-profile': buildDataProfile,
  'miss-classification': buildMissClassification,
  functions: buildFunctions,
  sharing: buildSharingView,
  'address-set': buildAddressSet,
  evictions: buildEvictions,
  invalidations: buildInvalidations,
  'unused-bytes': buildUnusedBytes,
  'struct-layout': buildStructLayout,
  'working-set': buildWorkingSet,
  'path-traces': buildPathTraces,
  'data-flow': buildDataFlow,
  locks: buildLocks,
  'shared-variables': buildSharedVariables,
  schedules: buildSchedules,
} as const;

/** Views of what only a replay with its flow collects. */
export const FLOW_VIEWS: readonly ViewName[] = ['working-set', 'path-traces', 'data-flow'];

/** Views that can be ranked by estimated cycles. */
export const RANKED_VIEWS: readonly ViewName[] = ['data-profile', 'miss-classification', 'functions', 'address-set'];

export type ViewName = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];
/** Those that the profile has something to say in. */
export function viewsOf(profile: Profile): ViewName[] {
  const isThere: Partial<Record<ViewName, boolean>> = {
    schedules: profile.schedules !== undefined,
    'struct-layout': profile.layouts !== undefined,
    locks: profile.locks !== undefined,
    'shared-variables': profile.sharedVariables !== undefined,
    ...Object.fromEntries(FLOW_VIEWS.map((name) => [name, profile.flow !== undefined])),
  };
  const { sampled } = profile;
  return VIEW_NAMES.filter(
    (name) => isThere[name] !== false && (sampled === undefined || isSampledView(sampled, name)),
  );
}

export type ViewOf<Name extends ViewName> = ReturnType<(typeof VIEWS)[Name]>;
export type AnyView = ViewOf<ViewName> | View<ClassifiedRow>;

/** What rows of a view can be chosen by; of those that are not named here, by type. */
const FILTERS_OF: Readonly<Partial<Record<ViewName, readonly FilterName[]>>> = {
  'data-profile': ['type', 'minShare'],
  'miss-classification': ['type', 'field', 'function', 'minShare'],
  functions: ['type', 'field', 'function', 'minShare'],
  sharing: ['type', 'field', 'function', 'minShare'],
  'address-set': ['type', 'function', 'minShare'],
  evictions: ['type', 'minShare'],
  invalidations: ['type', 'minShare'],
  'unused-bytes': ['type', 'field', 'minShare'],
  schedules: ['type', 'field'],
};

export function filtersOf(view: ViewName): readonly FilterName[] {
  return FILTERS_OF[view] ?? ['type'];
}

export function buildView(profile: Profile, name: ViewName, options: ViewOptions): AnyView {
  const { sampled } = profile;
  if (sampled !== undefined) requireSampledView(sampled, name);
  const built: AnyView = VIEWS[name](profile, options);
  const view =
    sampled === undefined ? built : (markSampled(profile, sampled, name, options, built as View<unknown>) as AnyView);
  return filterRows(view as View<unknown>, options, options) as AnyView;
}
