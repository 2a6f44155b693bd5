// Stage: profile -> views. Miss classification by object: every object that was referenced, and what was missed outside
// of all objects.

import type { Profile } from '../profile/profile.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { OBJECT_COUNTERS } from '../contract/result.js';
import { sortRanked, sumAll, usualSort } from './counter-sums.js';
import { levelMisses, type LevelMisses } from './level-misses.js';
import { ObjectCounterIndex } from './object-counters.js';
import { ownSite, spellName, type OwnSite } from './sites.js';

/** `site` is that of its allocation, or of the variable's declaration. */
export interface ObjectMissRow extends OwnSite {
  /** Hexadecimal; null: in no object. */
  readonly object: string | null;
  readonly type: string;
  readonly bytes: number | null;
  readonly variable: string | null;
  /** Loads and stores together. */
  readonly references: number;
  readonly missLatencyCycles: number;
  readonly levels: Record<LevelName, LevelMisses>;
}

export function classifyObjects(profile: Profile): ObjectMissRow[] {
  const { objects, types, strings } = profile;
  const counters = new ObjectCounterIndex(profile);
  const ranked = Array.from(objects.address.keys())
    .filter((object) => objects.references[object] > 0)
    .map((object) => {
      const address = `0x${objects.address[object].toString(16)}`;
      const row: ObjectMissRow = {
        object: address,
        type: strings[types.name[objects.type[object]]],
        bytes: objects.sizeBytes[object],
        variable: spellName(profile, objects.variable[object]),
        ...ownSite(profile, objects.site[object], 'allocation'),
        references: objects.references[object],
        missLatencyCycles: counters.get(object, 'missLatencyCycles'),
        levels: levelMisses((counter) => counters.get(object, counter)),
      };
      return {
        rank: {
          misses: row.levels[LEVELS[0]].misses,
          cycles: row.missLatencyCycles,
          name: `${address.padStart(20)} ${String(object).padStart(10)}`,
        },
        row,
      };
    });
  const rest = outsideObjects(profile);
  if (rest.references > 0)
    ranked.push({ rank: { misses: rest.levels.l1.misses, cycles: rest.missLatencyCycles, name: '' }, row: rest });
  return sortRanked(ranked, usualSort(profile));
}

/** The difference between the tallies and the sum of all objects. */
export function outsideObjects(profile: Profile): ObjectMissRow {
  const all = sumAll(profile.tallies);
  const { objects, objectCounters } = profile;
  const ofObjects = new Float64Array(OBJECT_COUNTERS.length);
  objectCounters.counter.forEach((counter, row) => (ofObjects[counter] += objectCounters.value[row]));
  const rest = (counter: string): number => all.get(counter) - ofObjects[OBJECT_COUNTERS.indexOf(counter)];
  return {
    object: null,
    type: '(no object)',
    bytes: null,
    variable: null,
    site: null,
    function: null,
    receiver: null,
    callPath: [],
    references: all.references - objects.references.reduce((sum, references) => sum + references, 0),
    missLatencyCycles: rest('missLatencyCycles'),
    levels: levelMisses(rest),
  };
}
