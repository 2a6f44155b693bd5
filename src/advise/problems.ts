// Stage: profile -> advice. The problems of a profile, costliest first, and what is too small to be one.

import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { classCosts, type CostRow } from '../views/class-costs.js';
import { buildMissClassification } from '../views/miss-classification.js';
import { buildSharingView, type SharingRow } from '../views/sharing-rows.js';
import { buildUnusedBytes } from '../views/unused-bytes.js';
import { problemKey, type FindingKind, type Problem } from './problem.js';
import type { Thresholds } from './thresholds.js';

export interface Problems {
  readonly found: readonly Problem[];
  /** Too small for the thresholds. */
  readonly left: readonly Problem[];
  /** Of the whole run: estimated cycles, misses by level. */
  readonly cycles: number;
  readonly misses: Readonly<Record<LevelName, number>>;
  readonly instructions: number;
  readonly references: number;
  /** By problemKey: the cycles of each. */
  readonly costs: ReadonlyMap<string, number>;
  readonly rows: readonly CostRow[];
}

/** At least this part of the bytes that an L1 fetched of a struct was never referenced there. */
const MOSTLY_UNUSED = 0.5;

export function findProblems(profile: Profile, isRecord: (type: string) => boolean, limits: Thresholds): Problems {
  const { totals } = buildMissClassification(profile);
  const cycles = totals.missLatencyCycles;
  const misses = {
    l1: totals.levels.l1.misses,
    l2: totals.levels.l2.misses,
    llc: totals.levels.llc.misses,
  };
  const pairs = buildSharingView(profile).rows;
  const unused = new Map(
    buildUnusedBytes(profile)
      .rows.filter(({ field }) => field === null)
      .map(({ type, fetchedBytes, unusedBytes }) => [type, unusedBytes / Math.max(1, fetchedBytes)]),
  );
  const rows = classCosts(profile, isRecord);
  const all = rows.flatMap((row) =>
    CLASSES.flatMap((name): Problem[] => {
      const own = LEVELS.map((level) => row.cycles[level][name]);
      const sum = own.reduce((a, b) => a + b, 0);
      if (sum === 0) return [];
      const level = LEVELS[own.indexOf(Math.max(...own))];
      const pair = sharingOf(pairs, row, name);
      const count = row.levels[level].classes[name];
      return [
        {
          kind: kindOf(row, name, level, isRecord(row.type) ? (unused.get(row.type) ?? 0) : 0),
          class: name,
          level,
          cycles: sum,
          cyclesShare: sum / Math.max(1, cycles),
          misses: count,
          missesShare: count / Math.max(1, misses[level]),
          type: row.type,
          isRecord: isRecord(row.type),
          name: row.name,
          allocatedAt: row.site,
          site: row.mostAt[name].site,
          function: row.mostAt[name].function,
          fields: byCost(row),
          sides: pair === undefined ? null : { missed: pair.missed, writer: pair.writer },
          row,
        },
      ];
    }),
  );
  all.sort((a, b) => b.cycles - a.cycles);
  const isSerious = ({ cyclesShare, misses: count, missesShare }: Problem): boolean =>
    cyclesShare >= limits.cycles && count >= limits.accesses * totals.references && missesShare >= limits.misses;
  return {
    found: all.filter(isSerious),
    left: all.filter((one) => !isSerious(one)),
    cycles,
    misses,
    instructions: totals.instructions,
    references: totals.references,
    costs: new Map(all.toReversed().map((one) => [problemKey(one), one.cycles])), // of alike ones the costliest
    rows,
  };
}

function kindOf(row: CostRow, name: MissClass, level: LevelName, unused: number): FindingKind {
  if (name === 'capacity') return unused >= MOSTLY_UNUSED ? 'unused-bytes' : 'capacity';
  if (name !== 'compulsory') return name;
  const { classes, compulsoryShared } = row.levels[level];
  return compulsoryShared * 2 >= classes.compulsory ? 'cold-sharing' : 'streaming';
}

function sharingOf(
  pairs: readonly SharingRow[],
  { type, name, site }: CostRow,
  own: MissClass,
): SharingRow | undefined {
  const classOf = own === 'compulsory' ? 'cold-sharing' : own;
  return pairs.find(
    ({ class: one, missed }) =>
      one === classOf &&
      missed.type === type &&
      (name === null || missed.receiver === name || missed.variable === name) &&
      (site === null || missed.allocatedAt === null || missed.allocatedAt.endsWith(site)),
  );
}

function byCost({ fields }: CostRow): string[] {
  return [...fields]
    .sort((a, b) => b.missLatencyCycles - a.missLatencyCycles || b.references - a.references)
    .filter(({ missLatencyCycles }) => missLatencyCycles > 0)
    .map(({ field }) => field);
}
