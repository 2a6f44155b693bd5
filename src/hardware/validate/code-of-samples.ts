// Stage: validation. Places of samples, and the functions that a trace has code of -> whether the trace can have an
// access there, and whose code it is if not.

import type { SampledPlace, TypedSamples } from '../samples/typed-samples.js';
import { RecordTag } from '../../trace/layout.js';
import type { Catalog } from '../../contract/catalog.js';
import { foreignModule } from './element-sites.js';
import { bareFunction } from './function-names.js';

/** The code that was instrumented. */
export interface TracedCode {
  readonly functions: ReadonlySet<string>;
  /** Files, by name without folder: paths differ between machines. */
  readonly modules: ReadonlySet<string>;
}

const FOREIGN = ['c-library', 'recorder', 'kernel', 'not-instrumented', 'unknown'] as const;
export type Foreign = (typeof FOREIGN)[number];

export function instrumentedFunctions({ records, functions }: Pick<Catalog, 'records' | 'functions'>): Set<string> {
  const named = new Set<string>();
  for (let record = 0; record < records.count; record++)
    if (records.tag[record] === RecordTag.segment) named.add(bareFunction(functions.name[records.function[record]]));
  named.delete('');
  return named;
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** By place; null: instrumented. `isOtherBuild`: modules have other names, or are instrumented in the trace only. */
export function foreignPlaces(
  { places, modules }: Pick<TypedSamples, 'places' | 'modules'>,
  code: TracedCode,
  isOtherBuild: boolean,
): readonly (Foreign | null)[] {
  return places.map((place) => foreignOf(place, modules, code, isOtherBuild));
}

function foreignOf(
  place: SampledPlace,
  modules: TypedSamples['modules'],
  code: TracedCode,
  isOtherBuild: boolean,
): Foreign | null {
  const module = place.module === -1 ? undefined : modules[place.module];
  if (module === undefined) return 'unknown';
  if (module.isKernel) return 'kernel';
  const isTraced = code.modules.has(fileName(module.file));
  if (!isTraced) {
    const foreign = foreignModule(module.file);
    if (foreign !== null) return foreign;
    if (!isOtherBuild) return 'not-instrumented';
  }
  if (place.function === '' && place.within === '') return 'unknown';
  return [place.within, place.function].some((name) => code.functions.has(bareFunction(name)))
    ? null
    : 'not-instrumented';
}
