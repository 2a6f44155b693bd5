// Stage: histories + samples -> profile. Why accesses of a path missed, as the paper finds it: backwards in the path to
// the last access to the same line of the object by the same core; what another core stored since was an invalidation.
// Else conflict or capacity, as the simulated sets say.

import type { LevelName } from '../../contract/machine.js';
import type { PathBy } from '../../replay/places.js';
import type { ObjectPath, ObjectStep } from './object-paths.js';
import { placeKey } from './sampled-names.js';
import type { ClassShares, MissClasses } from './sampled-tallies.js';

/** A backward search's finding; `unclear`: another core referenced the line, and no sample says whether it stored. */
type Found = 'true-sharing' | 'false-sharing' | 'none' | 'unclear';

interface Weights {
  readonly bytes: number;
  readonly offset: number;
  readonly found: Record<Found, number>;
}

export interface ClassifyRequest {
  readonly paths: readonly ObjectPath[];
  readonly by: PathBy;
  readonly lineBytes: number;
  /** By type: where in a line its objects begin, with shares. */
  readonly begins: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** The share of a type's lines that lie in crowded sets; null: nobody knows where its objects lie. */
  readonly crowded: (type: string, level: LevelName) => number | null;
}

export function classifyPaths({ paths, by, lineBytes, begins, crowded }: ClassifyRequest): MissClasses {
  const found = new Map<string, Weights[]>();
  for (const path of paths) {
    for (const [begin, share] of begins.get(path.type) ?? [[0, 1]]) {
      path.steps.forEach((step, at) => {
        const own = weightsOf(found, `${path.type}\n${placeKey(step.place, by)}`, step);
        own[search(path.steps, at, begin, lineBytes)] += path.lives * share;
        for (const [name, accesses] of searchAgain(path.steps, at, begin, lineBytes))
          own[name] += path.lives * share * accesses;
      });
    }
  }
  return {
    sharesOf(type, offset, place, level): ClassShares | null {
      const own = found
        .get(`${type}\n${placeKey(place, by)}`)
        ?.find((weights) => weights.offset <= offset && offset < weights.offset + weights.bytes);
      if (own === undefined) return null;
      const all = Object.values(own.found).reduce((sum, weight) => sum + weight, 0);
      const none = own.found.none / all;
      const conflict = crowded(type, level);
      return {
        'true-sharing': own.found['true-sharing'] / all,
        'false-sharing': own.found['false-sharing'] / all,
        conflict: (conflict ?? 0) * none,
        capacity: conflict === null ? 0 : none * (1 - conflict),
      };
    },
  };
}

function weightsOf(found: Map<string, Weights[]>, key: string, { offset, bytes }: ObjectStep): Record<Found, number> {
  let places = found.get(key);
  if (places === undefined) found.set(key, (places = []));
  let own = places.find((weights) => weights.offset === offset);
  if (own === undefined)
    places.push((own = { offset, bytes, found: { 'true-sharing': 0, 'false-sharing': 0, none: 0, unclear: 0 } }));
  return own.found;
}

/** The first access of a step. */
function search(steps: readonly ObjectStep[], at: number, begin: number, lineBytes: number): Found {
  const since: ObjectStep[] = [];
  for (let before = at - 1; before >= 0; before--) {
    if (!shareLine(steps[before], steps[at], begin, lineBytes)) continue;
    if (steps[before].elsewhere === steps[at].elsewhere) break;
    since.push(steps[before]);
  }
  return judge(since, steps[at]);
}

/**
 * Accesses of a step that are done again: as many may be invalidations as the other core has accesses behind the first
 * one, each between two of them.
 */
function searchAgain(steps: readonly ObjectStep[], at: number, begin: number, lineBytes: number): [Found, number][] {
  let left = Math.max(0, steps[at].accesses - 1);
  const found = new Map<Found, number>();
  steps.forEach((step, index) => {
    if (step.elsewhere === steps[at].elsewhere || !shareLine(step, steps[at], begin, lineBytes)) return;
    const kind = judge([step], steps[at]);
    found.set(kind, (found.get(kind) ?? 0) + step.accesses - (index < at ? 1 : 0));
  });
  return (['true-sharing', 'false-sharing', 'unclear', 'none'] as const).map((kind) => {
    const own = kind === 'none' ? left : Math.min(left, found.get(kind) ?? 0);
    left -= own;
    return [kind, own];
  });
}

function shareLine(a: ObjectStep, b: ObjectStep, begin: number, lineBytes: number): boolean {
  const first = ({ offset }: ObjectStep): number => Math.floor((begin + offset) / lineBytes);
  const last = ({ offset, bytes }: ObjectStep): number => Math.floor((begin + offset + bytes - 1) / lineBytes);
  return first(a) <= last(b) && first(b) <= last(a);
}

/** `others`: what the other core did meanwhile. */
function judge(others: readonly ObjectStep[], own: ObjectStep): Found {
  const stores = others.filter(({ met }) => met?.hasStores === true);
  if (stores.some((step) => step.offset < own.offset + own.bytes && own.offset < step.offset + step.bytes))
    return 'true-sharing';
  if (stores.length > 0) return 'false-sharing';
  return others.some(({ met }) => met === null || (!met.hasLoads && !met.hasStores)) ? 'unclear' : 'none';
}

/**
 * Sets that are given more lines than they have ways, and more than twice what the others are on average: DProf's rule.
 */
export function isCrowded(lines: ArrayLike<number>, set: number, ways: number, sum: number): boolean {
  return lines[set] > ways && lines[set] * (lines.length - 1) > 2 * (sum - lines[set]);
}
