// Stage: profile -> views. Live bytes of each type over the run: the average in each of several equal parts of its
// replay time.

import { countObjects, listObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';

export const TIMELINE_PARTS = 100;

/**
 * By row type. A stack variable's bytes are spread evenly from its first life to its last; of a merged profile, parts
 * of all its runs together.
 */
export function buildTimelines(profile: Profile, parts = TIMELINE_PARTS): Float64Array[] {
  const { types, totals, runs } = profile;
  const spans = (
    runs ?? [{ objects: countObjects(profile), instructions: totals.instructions, window: profile.window }]
  ).map(({ objects, instructions, window }) => ({
    objects,
    begin: window?.from?.time ?? 0,
    part: instructions / parts,
  }));
  const timelines = Array.from(types.name, () => new ByteTime(parts));
  const standsFor = objectWeights(profile);
  let run = 0;
  let end = spans[0].objects;
  for (const { first, objects } of listObjects(profile)) {
    for (let object = 0; object < objects.type.length; object++) {
      while (first + object >= end) end += spans[++run].objects;
      const { begin, part } = spans[run];
      if (part === 0) continue;
      const from = Math.max(0, objects.bornAt[object] - begin);
      const to = objects.diedAt[object] === -1 ? part * parts : Math.min(part * parts, objects.diedAt[object] - begin);
      if (!(to > from)) continue;
      timelines[objects.type[object]].add(
        from / part,
        to / part,
        (standsFor(objects.type[object]) * objects.sizeBytes[object] * objects.lifetime[object] * part) / (to - from),
      );
    }
  }
  const partTime = totals.instructions / parts;
  return timelines.map((timeline) => timeline.sums().map((byteTime) => (partTime === 0 ? 0 : byteTime / partTime)));
}

/**
 * The number of objects that each object of the profile stands for, by type. It is more than 1 only in a sampled
 * profile, which has only the objects that were drawn.
 */
function objectWeights({ types, objects, sampled }: Profile): (type: number) => number {
  if (sampled === undefined) return () => 1;
  const drawn = new Float64Array(types.name.length);
  for (const type of objects.type) drawn[type]++;
  const { type: counted, allocations } = sampled.lives;
  const weights = new Float64Array(types.name.length).fill(1);
  counted.forEach((type, row) => (weights[type] = drawn[type] === 0 ? 1 : Math.max(1, allocations[row] / drawn[type])));
  return (type) => weights[type];
}

/** Bytes times time by part; stretches of whole parts wait as their two ends. */
class ByteTime {
  readonly #own: Float64Array;
  readonly #changes: Float64Array;

  constructor(readonly parts: number) {
    this.#own = new Float64Array(parts);
    this.#changes = new Float64Array(parts + 1);
  }

  /** `rate`: for each part that lies between, whole. */
  add(from: number, to: number, rate: number): void {
    const last = this.parts - 1;
    const [first, final] = [Math.min(last, Math.floor(from)), Math.min(last, Math.floor(to))];
    if (first === final) {
      this.#own[first] += (to - from) * rate;
      return;
    }
    this.#own[first] += (first + 1 - from) * rate;
    this.#own[final] += (to - final) * rate;
    this.#changes[first + 1] += rate;
    this.#changes[final] -= rate;
  }

  sums(): Float64Array {
    let rate = 0;
    return this.#own.map((own, part) => own + (rate += this.#changes[part]));
  }
}
