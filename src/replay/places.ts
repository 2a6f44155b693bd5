// Stage: trace -> replay. Which accesses are one place of a path, as --path-by says. docs/data-flow.md, "Paths".

import type { Catalog } from '../contract/catalog.js';
import type { FlowRequest } from '../contract/flow-result.js';

export const PATHS_BY = ['function', 'line', 'ip'] as const;
export type PathBy = (typeof PATHS_BY)[number];

/** How a flow is collected. */
export interface FlowFacts {
  readonly by: PathBy;
  readonly mostPaths: number;
}

export function flowRequest(catalog: Catalog, { by, mostPaths }: FlowFacts): FlowRequest {
  return { placeOf: placesOf(catalog, by), mostPaths };
}

/** By slot: the smallest slot of the same place. */
function placesOf({ slots, functions }: Catalog, by: PathBy): Uint32Array {
  if (by === 'ip') return Uint32Array.from(slots.kind.keys());
  const first = new Map<string, number>();
  return Uint32Array.from(slots.function, (functionId, slot) => {
    const name = functions.name[functionId] ?? '';
    const key = by === 'function' ? name : JSON.stringify([name, slots.file[slot], slots.line[slot]]);
    if (!first.has(key)) first.set(key, slot);
    return first.get(key) ?? slot;
  });
}
