// Stage: profile -> advice. The problems of a profile, costliest first, and what is too small to be one.

import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { classCosts, subjectCosts, type CostRow, type FieldSpans, type SubjectCosts } from '../views/class-costs.js';
import { sumAll } from '../views/counter-sums.js';
import { runCycles } from '../views/run-cycles.js';
import { buildSharingView, type SharingRow } from '../views/sharing-rows.js';
import { buildUnusedBytes } from '../views/unused-bytes.js';
import { problemKey, type FindingKind, type Problem } from './problem.js';
import type { Thresholds } from './thresholds.js';

/** Of a whole replay. */
export interface Costs {
  /** Estimated. */
  readonly cycles: number;
  readonly misses: Readonly<Record<LevelName, number>>;
  readonly instructions: number;
  readonly references: number;
  /** By problemKey: the cycles of each; of alike ones those of the costliest. */
  readonly costs: ReadonlyMap<string, number>;
  /** What the run would take (views/run-cycles.ts). */
  readonly runCycles: number;
}

export interface Problems extends Costs {
  readonly rows: readonly CostRow[];
  readonly found: readonly Problem[];
  /** Too small for the thresholds. */
  readonly left: readonly Problem[];
}

/** At least this part of the bytes that an L1 fetched of a struct was never referenced there. */
const MOSTLY_UNUSED = 0.5;

/** What is known of types by their names, and of the processor. */
export interface CostFacts {
  /** Structs, unions and classes with fields. */
  readonly isRecord: (type: string) => boolean;
  readonly isHopped: (type: string) => boolean;
  /** Whether a field is a lock. */
  readonly isLock: (type: string, field: string | null) => boolean;
  readonly spans: FieldSpans;
  readonly cpi: number;
}

/** What `findProblems` says of a run, without the problems. */
export function countCosts(profile: Profile, facts: CostFacts): Costs {
  return costsOf(profile, subjectCosts(profile, facts.isRecord), facts);
}

function costsOf(profile: Profile, rows: readonly SubjectCosts[], { isHopped, cpi }: CostFacts): Costs {
  const costs = new Map<string, number>();
  for (const row of rows)
    for (const name of CLASSES) {
      const key = problemKey({ type: row.type, name: row.name, allocatedAt: row.site, class: name });
      const cycles = LEVELS.reduce((sum, level) => sum + row.cycles[level][name], 0);
      if (cycles > (costs.get(key) ?? 0)) costs.set(key, cycles);
    }
  const sums = sumAll(profile.tallies);
  const { instructions, references } = profile.totals;
  return {
    cycles: sums.get('missLatencyCycles'),
    misses: { l1: sums.misses('l1'), l2: sums.misses('l2'), llc: sums.misses('llc') },
    instructions,
    references,
    costs,
    runCycles: Math.round(runCycles(profile, isHopped, cpi).all),
  };
}

export function findProblems(profile: Profile, facts: CostFacts, limits: Thresholds): Problems {
  const { isRecord, spans, isLock } = facts;
  const rows = classCosts(profile, isRecord, spans);
  const costs = costsOf(profile, rows, facts);
  const { cycles, misses, references } = costs;
  const pairs = buildSharingView(profile).rows;
  const unused = new Map(
    buildUnusedBytes(profile)
      .rows.filter(({ field }) => field === null)
      .map(({ type, fetchedBytes, unusedBytes }) => [type, unusedBytes / Math.max(1, fetchedBytes)]),
  );
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
          kind: isLockBesideData(pair, name, isLock)
            ? 'lock-and-data'
            : kindOf(row, name, level, isRecord(row.type) ? (unused.get(row.type) ?? 0) : 0),
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
    cyclesShare >= limits.cycles && count >= limits.accesses * references && missesShare >= limits.misses;
  return { ...costs, rows, found: all.filter(isSerious), left: all.filter((one) => !isSerious(one)) };
}

/** One side of false sharing is a lock, and the other is not. */
function isLockBesideData(pair: SharingRow | undefined, name: MissClass, isLock: CostFacts['isLock']): boolean {
  if (name !== 'false-sharing' || pair === undefined) return false;
  const [missed, writer] = [pair.missed, pair.writer].map(({ type, field }) => isLock(type, field));
  return missed !== writer;
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

/** Cycles of the same problem in another replay. */
export function costOf(problem: Problem, { costs }: Costs): number {
  return costs.get(problemKey(problem)) ?? 0;
}

/** Cycles of all classes of the same data. */
export function costOfAll(problem: Problem, costs: Costs): number {
  return CLASSES.reduce((sum, name) => sum + costOf({ ...problem, class: name }, costs), 0);
}

/** Excerpts are the first to touch lines of which there is too much for the cache. */
export function likeIn(problem: Problem, costs: Costs): number {
  const alike = problem.class === 'compulsory' ? 'capacity' : problem.class === 'capacity' ? 'compulsory' : null;
  return costOf(problem, costs) + (alike === null ? 0 : costOf({ ...problem, class: alike }, costs));
}
