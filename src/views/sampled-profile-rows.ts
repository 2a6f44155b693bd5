// Stage: profile -> views. The data profile from samples: what samples drew of each type, and what was counted of its
// objects.

import type { Profile } from '../profile/profile.js';
import type { SampledPart } from '../profile/sampled.js';
import { LEVELS, serversOf } from '../contract/machine.js';
import { EstimateSums, estimatesBy } from './estimate-sums.js';
import type { Sampled } from './row-estimates.js';
import { isUnclear, KINDS, markCounts, markMean, markMostMisses, Marks } from './sampled-rows.js';
import { sumsOfAll } from './sampled-view.js';
import type { DataProfileRow } from './data-profile-rows.js';

export function sampledProfileRows(
  profile: Profile,
  sampled: SampledPart,
  rows: readonly DataProfileRow[],
): Sampled<DataProfileRow>[] {
  const { strings, types, tallies } = profile;
  const whole = sumsOfAll(profile, sampled);
  const sums = estimatesBy(profile, sampled, (row) => [strings[types.name[tallies.type[row]]]]);
  const counted = new Set(Array.from(sampled.lives.type, (type) => strings[types.name[type]]));
  return rows.map((row) => {
    const own = sums.get(row.type) ?? new EstimateSums(sampled);
    const marks = new Marks(row, sampled.facts);
    markCounts(marks, own, whole);
    markProfileRow(marks, profile, sampled, own, counted.has(row.type));
    return marks.row;
  });
}

/** `isCounted`: objects of the type were. */
function markProfileRow(
  marks: Marks<DataProfileRow>,
  { machine, strings, types }: Profile,
  { lives }: SampledPart,
  sums: EstimateSums,
  isCounted: boolean,
): void {
  for (const level of LEVELS) {
    for (const kind of KINDS) {
      const [plural, suffix] = kind;
      if (marks.isUnknown(`misses.${level}.${plural}`) || isUnclear(sums, level, kind))
        marks.nothing(`misses.${level}.${plural}`);
      else marks.sum(`misses.${level}.${plural}`, sums, `${level}.miss${suffix}`);
    }
  }
  // If a row's samples say no server at all, any server may have served it.
  const isServed =
    serversOf(machine).some((server) => sums.get(`served.${server}`) > 0) || sums.get('served.unknown') === 0;
  for (const server of serversOf(machine)) {
    if (isServed) marks.sum(`servedBy.${server}`, sums, `served.${server}`);
    else marks.nothing(`servedBy.${server}`);
  }
  marks.sum('servedBy.unknown', sums, 'served.unknown');
  markMean(marks, 'averageLatencyCycles', sums, 'latencyCycles');
  markMean(marks, 'averageMissLatencyCycles', sums, 'missLatencyCycles');
  for (const name of [
    'transfers',
    'orderBoundTransfers',
    'orderBound',
    'missesBeforeFirstUse',
    'missesAfterLastUse',
    'freesOnOtherCore',
  ])
    marks.nothing(name);
  markMostMisses(marks);
  if (!isCounted)
    for (const name of ['liveObjects', 'workingSetBytes', 'bounce', 'writeShared', 'frees']) marks.nothing(name);
  const row = lives.type.findIndex((type) => strings[types.name[type]] === marks.row.type);
  marks.write(
    'sampledObjects',
    row === -1
      ? null
      : {
          sampled: lives.sampledObjects[row],
          bounced: lives.bouncedObjects[row],
          writeShared: lives.writeSharedObjects[row],
        },
  );
}
