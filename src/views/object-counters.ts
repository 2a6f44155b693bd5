// Stage: profile -> views. The counters of one object, or of all objects of a type.

import { listObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { OBJECT_COUNTERS } from '../contract/result.js';

const position = new Map(OBJECT_COUNTERS.map((name, index) => [name, index]));

function indexOf(counter: string): number {
  const index = position.get(counter);
  if (index === undefined) throw new RangeError(`no counter of objects is named ${counter}`);
  return index;
}

export class ObjectCounterIndex {
  /** By object: where its counters begin. */
  readonly #first: Uint32Array;

  constructor(private readonly profile: Profile) {
    const { objects, objectCounters } = profile;
    this.#first = new Uint32Array(objects.address.length + 1);
    for (const object of objectCounters.object) this.#first[object + 1]++;
    for (let object = 0; object < objects.address.length; object++) this.#first[object + 1] += this.#first[object];
  }

  get(object: number, counter: string): number {
    const { counter: counters, value } = this.profile.objectCounters;
    const wanted = indexOf(counter);
    for (let at = this.#first[object]; at < this.#first[object + 1]; at++)
      if (counters[at] === wanted) return value[at];
    return 0;
  }
}

/** By row type: a counter summed over the type's objects. */
export function sumObjectCounter(profile: Profile, counter: string): Float64Array {
  const sums = new Float64Array(profile.types.name.length);
  const wanted = indexOf(counter);
  for (const { first, objects, counters } of listObjects(profile)) {
    counters.counter.forEach((of, row) => {
      if (of === wanted) sums[objects.type[counters.object[row] - first]] += counters.value[row];
    });
  }
  return sums;
}
