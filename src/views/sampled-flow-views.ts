// Stage: profile -> views. Working set and data flow from samples and histories: intervals of what was simulated or
// drawn; what was counted is exact.

import { shareInterval, type Interval } from '../base/intervals.js';
import type { Profile } from '../profile/profile.js';
import type { SampledPart } from '../profile/sampled.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { perLevel } from './counter-sums.js';
import type { DataFlowEdge, DataFlowNode, DataFlowRow } from './data-flow.js';
import type { WorkingSetRow } from './working-set.js';

/** Numbers that the interposer counted. */
const COUNTED = [
  'objects',
  'lives',
  'averageLiveObjects',
  'peakLiveObjects',
  'averageLiveBytes',
  'peakLiveBytes',
] as const;

/** A row of the working set as samples and their simulation say it. */
export interface SampledWorkingSetRow
  extends Pick<WorkingSetRow, 'type' | 'paths' | 'timeline'>,
    Record<(typeof COUNTED)[number], number | null>,
    NotReplayed<Simulated> {
  /** Numbers of it that were counted, not drawn. */
  readonly exact: readonly string[];
  readonly averageLifetimeInstructions: null;
  readonly averageLifetimeNanoseconds: number | null;
  readonly lifetimesLog2: null;
  readonly averageFreedLines: null;
  readonly missesPerSet: null;
  readonly intervals: Record<'averageResidentLines' | 'averageResidentBytes', Record<LevelName, Interval | null>>;
}

/** null: nothing was simulated. */
const SIMULATED = [
  'averageResidentLines',
  'averageResidentBytes',
  'linesPerSet',
  'objectsPerSet',
  'unusedSets',
  'reachableSets',
] as const;
type Simulated = Pick<WorkingSetRow, (typeof SIMULATED)[number]>;
type NotReplayed<Row> = { readonly [Key in keyof Row]: Row[Key] | null };

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

interface WithBounds {
  readonly intervals: { readonly objects: Interval | null };
}

export interface SampledDataFlowRow extends Omit<DataFlowRow, 'nodes' | 'edges'> {
  readonly nodes: readonly (DataFlowNode & WithBounds)[];
  readonly edges: readonly (DataFlowEdge & WithBounds)[];
}

/** The objects that go through a node or along an edge are a share of the histories of the type. */
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
