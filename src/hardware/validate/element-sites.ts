// Stage: validation. Whether an access that a register saw may be one that a trace has, and how well their places
// agree.

import { bareFunction } from './function-names.js';
import type { Histories, Place } from '../histories/histories.js';
import { NEVER } from './align.js';
import type { ElementReason } from './reasons.js';
import type { TracedObjects, TracedSite } from './traced-objects.js';

/** The site of an ip, which is the instruction behind the access. */
export interface ElementSite {
  readonly ip: number;
  readonly place: Place | undefined;
  /** Why nothing of it is in the trace; null: its code was instrumented. */
  readonly foreign: ElementReason | null;
}

/** It measures how far a scan of a string goes. */
const RECORDER = /\/libdprof[^/]*$/;
const C_LIBRARY = /\/(ld-linux|ld-musl|ld|libc|libm|libpthread)[-.][^/]*$/;

export function elementSites(
  { places, elements }: Pick<Histories, 'places' | 'elements'>,
  traced: Pick<TracedObjects, 'functions' | 'modules'>,
): ReadonlyMap<number, ElementSite> {
  return new Map(
    Array.from(new Set(elements.ip), (ip) => [
      ip,
      { ip, place: places.get(ip), foreign: foreignBy(places.get(ip), traced) },
    ]),
  );
}

/** null: the program's own, or some library's. */
export function foreignModule(path: string): 'recorder' | 'c-library' | null {
  if (RECORDER.test(path)) return 'recorder';
  return C_LIBRARY.test(path) ? 'c-library' : null;
}

function foreignBy(
  place: Place | undefined,
  { functions, modules }: Pick<TracedObjects, 'functions' | 'modules'>,
): ElementReason | null {
  const foreign = foreignModule(place?.module ?? '');
  if (foreign === 'recorder') return foreign;
  if (place === undefined || !modules.has(place.module)) return foreign ?? 'not-instrumented';
  return [place.within, place.function].some((name) => functions.has(bareFunction(name))) ? null : 'not-instrumented';
}

/** How well two places agree: source position, function, or only the code that it was inlined into. */
const AGREEMENTS = ['line', 'function', 'code'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

export function agreement({ place }: ElementSite, site: TracedSite): Agreement | null {
  if (place === undefined) return null;
  const isSame = (of: 'function' | 'within'): boolean => bareFunction(place[of]) === bareFunction(site[of]);
  if (isSame('function')) return place.line === site.line ? 'line' : 'function';
  return isSame('within') ? 'code' : null;
}

const COST: Readonly<Record<Agreement, number>> = { line: 0.5, function: 2, code: 3 };

/** 0: the very place. A block operation may run in the C library. */
export function matchCost(element: ElementSite, site: TracedSite): number {
  if (site.kind === 'kernel') return NEVER;
  if (element.foreign !== null) return site.kind === 'block' && element.foreign !== 'recorder' ? 1 : NEVER;
  const how = agreement(element, site);
  if (how === null) return NEVER;
  return how === 'line' && element.place?.column === site.column ? 0 : COST[how];
}
