// Stage: samples -> profile. What the simulation of the working set plays: of each type its drawn objects, how many
// lived, and the paths that they may take.

import type { SampledType } from '../samples/typed-samples.js';
import type { ObjectPath } from './object-paths.js';
import type { SampledInput } from './sampled-input.js';
import type { SampledNames } from './sampled-names.js';
import type { DrawnObject } from './sampled-objects.js';
import type { PlayedPath, PlayedType } from './simulate-working-set.js';

export interface PlayInput {
  readonly input: SampledInput;
  readonly names: SampledNames;
  readonly drawn: readonly DrawnObject[];
  /** By type number. */
  readonly lives: ReadonlyMap<number, { readonly allocations: number }>;
  readonly paths: readonly ObjectPath[];
}

export interface PlayedTypes {
  readonly types: readonly PlayedType[];
  /** Names of types that samples met, ascending. */
  readonly withoutPaths: readonly string[];
  readonly withoutObjects: readonly string[];
}

export function playedTypes({ input, names, drawn, lives, paths }: PlayInput): PlayedTypes {
  const objects = new Map<number, DrawnObject[]>();
  for (const object of drawn) {
    const own = objects.get(object.type);
    if (own === undefined) objects.set(object.type, [object]);
    else own.push(object);
  }
  const met = offsetsMet(input, names);
  const known = new Map<number, PlayedPath[]>();
  for (const path of paths) {
    const type = names.aggregate(path.type);
    const played = {
      weight: path.lives,
      isAssumed: false,
      steps: path.steps.map(({ offset, bytes, time, elsewhere }) => ({ offset, bytes, time, elsewhere })),
    };
    const own = known.get(type);
    if (own === undefined) known.set(type, [played]);
    else own.push(played);
  }
  const untyped = names.type(NO_TYPE);
  const types = [...objects]
    .filter(([type]) => type !== untyped)
    .map(
      ([type, own]): PlayedType => ({
        type,
        objects: own,
        allocations: Math.max(own.length, lives.get(type)?.allocations ?? 0),
        paths: known.get(type) ?? [assumePath(met.get(type) ?? [0])],
      }),
    );
  const spell = (numbers: Iterable<number>): string[] => Array.from(numbers, (type) => names.types.name(type)).sort();
  return {
    types: types.sort((a, b) => (names.types.name(a.type) < names.types.name(b.type) ? -1 : 1)),
    withoutPaths: spell([...objects.keys()].filter((type) => type !== untyped && !known.has(type))),
    withoutObjects: spell([...met.keys()].filter((type) => type !== untyped && !objects.has(type))),
  };
}

const NO_TYPE: SampledType = { name: '', rule: 'untyped', bytes: 0, fields: [], lives: null };

/** Each offset once, from the first on, evenly over the object's life. */
function assumePath(offsets: readonly number[]): PlayedPath {
  return {
    weight: 1,
    isAssumed: true,
    steps: offsets.map((offset, index) => ({ offset, bytes: 1, time: index / offsets.length, elsewhere: false })),
  };
}

/** By type number: offsets of samples, ascending. */
function offsetsMet({ samples }: SampledInput, names: SampledNames): Map<number, number[]> {
  const met = new Map<number, Set<number>>();
  for (const {
    value: { rows, types },
  } of samples) {
    rows.type.forEach((type, row) => {
      const number = names.type(types[type]);
      const own = met.get(number);
      if (own === undefined) met.set(number, new Set([Number(rows.offset[row])]));
      else own.add(Number(rows.offset[row]));
    });
  }
  return new Map(Array.from(met, ([type, offsets]) => [type, [...offsets].sort((a, b) => a - b)]));
}
