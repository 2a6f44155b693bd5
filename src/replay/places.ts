// Stage: trace -> replay. Which accesses are one place of a path, as --path-by says. docs/data-flow.md, "Paths".

import { TupleIndex } from '../base/tuple-index.js';
import type { Catalog } from '../contract/catalog.js';
import type { FlowRequest } from '../contract/flow-result.js';

export const PATHS_BY = ['function', 'line', 'ip'] as const;
export type PathBy = (typeof PATHS_BY)[number];

/** How a flow is collected. */
export interface FlowFacts {
  readonly by: PathBy;
  readonly mostPaths: number;
  readonly mostSteps: number;
}

export function flowRequest(catalog: Catalog, { by, ...limits }: FlowFacts): FlowRequest {
  return { placeOf: placesOf(catalog, by), ...limits };
}

/**
 * By slot: the smallest slot of the same place. Accesses of one function that was inlined into several are several
 * places: a view shows the one of these functions that a person would look at.
 */
function placesOf({ slots, functions, positions }: Catalog, by: PathBy): Uint32Array {
  const places = new Uint32Array(slots.count);
  if (by === 'ip') {
    for (let slot = 0; slot < slots.count; slot++) places[slot] = slot;
    return places;
  }
  const texts = new Map<string, number>();
  const numberOf = (text: string): number => {
    let number = texts.get(text);
    if (number === undefined) texts.set(text, (number = texts.size));
    return number;
  };
  const names = Array.from(functions.name, numberOf);
  const unnamed = numberOf('');
  /** A function, or a line of it, inside of another: 1 + the number of that; 0: inside of none. */
  const frames = new TupleIndex(4);
  const frame = (functionId: number, file: string, line: number, outside: number): number =>
    by === 'function'
      ? frames.enter([names[functionId] ?? unnamed, 0, 0, outside])
      : frames.enter([names[functionId] ?? unnamed, numberOf(file), line, outside]);
  const ofPosition = new Uint32Array(positions.count);
  for (
    let at = 1;
    at < positions.count;
    at++ // what a position was inlined into stands before it
  )
    ofPosition[at] =
      1 + frame(positions.function[at], positions.file[at], positions.line[at], ofPosition[positions.inlinedAt[at]]);
  const first: number[] = [];
  for (let slot = 0; slot < slots.count; slot++) {
    const number = frame(slots.function[slot], slots.file[slot], slots.line[slot], ofPosition[slots.inlinedAt[slot]]);
    first[number] ??= slot;
    places[slot] = first[number];
  }
  return places;
}
