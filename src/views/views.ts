// Stage: profile -> views. The table of all views, by the name that --view takes. A view's definition says what may be
// asked of it.

import type { Profile } from '../profile/profile.js';
import { addressSet } from './address-set.js';
import { dataFlow } from './data-flow.js';
import { dataProfile } from './data-profile.js';
import { functions } from './functions.js';
import { locks } from './locks.js';
import { missClassification } from './miss-classification.js';
import { pathTraces } from './path-traces.js';
import { withFrames } from './frames.js';
import { filterRows } from './row-filter.js';
import { isSampledView, requireSampledView, sampledView } from './sampled-view.js';
import { schedules } from './schedules.js';
import { sharedVariables } from './shared-variables.js';
import { sharing } from './sharing.js';
import { findSortColumn, hasSortColumn, sortRows } from './sort-rows.js';
import { structLayout } from './struct-layout.js';
import { evictions, invalidations } from './takers.js';
import { unusedBytes } from './unused-bytes.js';
import type { FilterName, SampledView, View, ViewOptions } from './view.js';
import type { ViewDefinition, ViewTable } from './view-definition.js';
import { workingSet } from './working-set.js';

export const VIEWS = {
  'data-profile': dataProfile,
  'miss-classification': missClassification,
  functions,
  sharing,
  'address-set': addressSet,
  evictions,
  invalidations,
  'unused-bytes': unusedBytes,
  'struct-layout': structLayout,
  'working-set': workingSet,
  'path-traces': pathTraces,
  'data-flow': dataFlow,
  locks,
  'shared-variables': sharedVariables,
  schedules,
} as const;

export type ViewName = keyof typeof VIEWS;
type Definition = ViewDefinition<View<unknown>, SampledView<unknown>>;
export type AnyView = View<unknown> | SampledView<unknown>;

const definitions: Readonly<Record<ViewName, Definition>> = VIEWS;

export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

const namesOf = (isOne: (view: Definition) => boolean): readonly ViewName[] =>
  VIEW_NAMES.filter((name) => isOne(definitions[name]));

/** Views of what only a replay with its flow collects. */
export const FLOW_VIEWS = namesOf(({ needs }) => needs === 'flow');

/** Views whose rows can be sorted by any of their columns. */
export const SORTABLE_VIEWS = namesOf(({ columns }) => columns !== undefined);

/** Views that show the misses of one level, which may be chosen. */
export const LEVEL_VIEWS = namesOf(({ hasLevels }) => hasLevels === true);

/** Views whose text can have call paths below its rows. */
export const CALL_PATH_VIEWS = namesOf(({ hasCallPaths }) => hasCallPaths === true);

/** Views of what a replay collects if it is asked to. */
export const SHARED_VARIABLE_VIEWS = namesOf(({ needs }) => needs === 'sharedVariables');

export function placeInReport(name: ViewName): Definition['inReport'] {
  return definitions[name].inReport;
}

/** The views that the profile has data for. */
export function viewsOf(profile: Profile): readonly ViewName[] {
  const { sampled } = profile;
  return namesOf(
    (view) =>
      (view.needs === undefined || profile[view.needs] !== undefined) &&
      (sampled === undefined || isSampledView(sampled, view)),
  );
}

/** The flags that can choose rows of a view. */
export function filtersOf(name: ViewName): readonly FilterName[] {
  return definitions[name].filters ?? ['type'];
}

/** `isOneOfAll`: other views are shown too, and one that lacks the column to sort by keeps its order. */
export function buildView(of: Profile, name: ViewName, options: ViewOptions, isOneOfAll = false): AnyView {
  const profile = withFrames(of, options);
  const { sampled } = profile;
  const definition = definitions[name];
  if (sampled !== undefined) requireSampledView(sampled, name, definition);
  const built = definition.build(profile, options);
  const view =
    sampled === undefined || definition.sampled === undefined
      ? built
      : sampledView(profile, sampled, built, definition.sampled.rows(profile, sampled, built.rows, options));
  const filtered = filterRows(view, options, definition);
  if (options.sort === undefined) return filtered;
  const columns = definition.columns?.(view) ?? [];
  return isOneOfAll && !hasSortColumn(options.sort, columns)
    ? filtered
    : sortRows(filtered, findSortColumn(options.sort, columns, name));
}

export function tableOf(name: ViewName, view: AnyView, top: number): ViewTable<unknown> {
  return definitions[name].table(view, top);
}

/** The view that a JSON says it is of. */
export function definitionOf(schema: string): Definition | undefined {
  return definitions[/^dprof\.([\w-]+)\/1$/.exec(schema)?.[1] as ViewName];
}
