// Stage: profile -> views. Working set and data flow from samples and histories: intervals of what was simulated or
// drawn; what was counted is exact.

import { shareInterval, type Interval } from '../base/intervals.js';
import type { Profile } from '../profile/profile.js';
import type { SampledPart } from '../profile/sampled.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { perLevel } from './counter-sums.js';
import type { DataFlowRow, SampledDataFlowRow, WithBounds } from './data-flow-rows.js';
import { COUNTED, type SampledWorkingSetRow, type WorkingSetRow } from './working-set-rows.js';

export function sampledWorkingSetRows(
  { strings, types, machine }: Profile,
  { lives, residency, facts }: SampledPart,
  rows: readonly WorkingSetRow[],
): SampledWorkingSetRow[] {
  const counted = new Set(Array.from(lives.type, (type) => strings[types.name[type]]));
  const bounds = new Map<string, Interval>();
  residency.type.forEach((type, row) =>
    bounds.set(`${strings[types.name[type]]} ${residency.level[row]}`, [residency.low[row], residency.high[row]]),
  );
  const isSimulated = facts.simulation !== null;
  // Lines of freed objects were removed at the free, so there is no row of them.
  return rows
    .filter(({ type }) => type !== '(freed)')
    .map((row) => {
      const isCounted = counted.has(row.type);
      const { averageLifetimeInstructions: lifetime, lifetimesLog2: _, averageFreedLines: __, ...others } = row;
      const boundsPerLevel = (scale: number): Record<LevelName, Interval | null> =>
        perLevel((level) => {
          const own = bounds.get(`${row.type} ${LEVELS.indexOf(level)}`) ?? [0, 0];
          return isSimulated ? [own[0] * scale, own[1] * scale] : null;
        });
      return {
        ...others,
        ...(!isCounted && Object.fromEntries(COUNTED.map((name) => [name, null]))),
        exact: isCounted ? [...COUNTED, 'averageLifetimeNanoseconds'] : [],
        averageLifetimeInstructions: null,
        averageLifetimeNanoseconds: isCounted ? lifetime : null,
        lifetimesLog2: null,
        averageFreedLines: null,
        missesPerSet: null,
        ...(!isSimulated && {
          averageResidentLines: null,
          averageResidentBytes: null,
          linesPerSet: null,
          objectsPerSet: null,
          unusedSets: null,
          reachableSets: null,
        }),
        intervals: { averageResidentLines: boundsPerLevel(1), averageResidentBytes: boundsPerLevel(machine.lineBytes) },
      };
    });
}

/** How many objects go through a node or along an edge is a share of the histories of the type. */
export function sampledDataFlowRows(
  { strings, types, flow }: Profile,
  { paths }: SampledPart,
  rows: readonly DataFlowRow[],
): SampledDataFlowRow[] {
  const histories = new Map<string, number>();
  flow?.paths.type.forEach((type, row) => histories.set(strings[types.name[type]], paths.ofHistories[row]));
  return rows.map((row) => {
    const bounds = (objects: number): Interval | null => {
      const own = shareInterval(objects / row.objects, histories.get(row.type) ?? 0);
      return own && [own[0] * row.objects, own[1] * row.objects];
    };
    const mark = <Part extends { readonly objects: number }>(part: Part): Part & WithBounds => ({
      ...part,
      intervals: { objects: bounds(part.objects) },
    });
    return { ...row, nodes: row.nodes.map(mark), edges: row.edges.map(mark) };
  });
}
