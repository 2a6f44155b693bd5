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

/**
 * By slot: the smallest slot of the same place. Accesses of one function that was inlined into several are several
 * places: a view shows the one of these functions that a person would look at.
 */
function placesOf({ slots, functions, positions }: Catalog, by: PathBy): Uint32Array {
  if (by === 'ip') return Uint32Array.from(slots.kind.keys());
  const nameOf = (functionId: number): string => functions.name[functionId] ?? '';
  const first = new Map<string, number>();
  return Uint32Array.from(slots.function, (functionId, slot) => {
    const frames = [
      by === 'function' ? [nameOf(functionId)] : [nameOf(functionId), slots.file[slot], slots.line[slot]],
    ];
    for (let at = slots.inlinedAt[slot]; at !== 0; at = positions.inlinedAt[at]) {
      const name = nameOf(positions.function[at]);
      frames.push(by === 'function' ? [name] : [name, positions.file[at], positions.line[at]]);
    }
    const key = JSON.stringify(frames);
    if (!first.has(key)) first.set(key, slot);
    return first.get(key) ?? slot;
  });
}
