// Stage: profiles -> diff. Paths that objects took in two runs: which came, which went, which are taken more or less
// often.

import { isTypeAsked } from '../base/type-name.js';
import type { Profile } from '../profile/profile.js';
import type { PathBy } from '../replay/places.js';
import { flowTotals } from '../views/flow-facts.js';
import { buildPathTraces } from '../views/path-traces.js';
import { averageChange, changeOf, countChange, type AverageChange, type CountChange, type Work } from './change.js';
import { byName } from './rank.js';
import type { PRESENCES } from './type-changes.js';
import type { PathStep, PathTraceRow } from '../views/path-rows.js';

export interface PathPlace {
  /** null: unknown, or of what was cut. */
  readonly function: string | null;
  /** With --path-by line and ip. */
  readonly file?: string | null;
  readonly line?: number | null;
  readonly coreChange: boolean;
  readonly cut: boolean;
}

/** Paths of two runs are one if all but the numbers in them is the same. */
export interface PathChange {
  readonly type: string;
  readonly variable: string | null;
  readonly allocatedBy: string | null;
  readonly steps: readonly PathPlace[];
  readonly end: PathTraceRow['end'];
  readonly freedBy: string | null;
  readonly freedOnAnotherCore: boolean;
  readonly presence: (typeof PRESENCES)[number];
  /** Lives that took it. */
  readonly frequency: CountChange;
  readonly averageLifetimeInstructions: AverageChange;
}

export interface PathChanges {
  readonly by: PathBy;
  /** Lives of objects: on the paths of `rows` (of all types), and on paths beyond --most-paths. */
  readonly lives: CountChange;
  readonly livesOnPaths: CountChange;
  readonly livesOnOtherPaths: CountChange;
  /** The number of `rows` by what became of them. Changes are per unit of work, if work is counted. */
  readonly counts: {
    readonly appeared: number;
    readonly vanished: number;
    readonly changed: number;
    readonly alike: number;
  };
  /** By the absolute change of their frequency, then type, then content; all of them. */
  readonly rows: readonly PathChange[];
}

interface OfPath {
  readonly path: Omit<PathChange, 'presence' | 'frequency' | 'averageLifetimeInstructions'>;
  lives: number;
  lifetime: number;
}

/** null: one of them has no paths, or others. */
export function comparePaths(
  before: Profile,
  after: Profile,
  work: Work | null,
  type: string | undefined,
): PathChanges | null {
  if (before.flow === undefined || after.flow === undefined || before.flow.by !== after.flow.by) return null;
  const { by } = before.flow;
  const [first, second] = [before, after].map((profile) => collectPaths(profile, by));
  const ranked = [...new Set([...first.keys(), ...second.keys()])].map((key) => ({
    key,
    row: rowOf(first.get(key), second.get(key), work),
  }));
  ranked.sort(
    (a, b) =>
      Math.abs(changeOf(b.row.frequency)) - Math.abs(changeOf(a.row.frequency)) ||
      byName(a.row.type, b.row.type) ||
      byName(a.key, b.key),
  );
  const rows = ranked.map(({ row }) => row).filter((row) => type === undefined || isTypeAsked(row.type, type));
  const [own, other] = [flowTotals(before.flow), flowTotals(after.flow)];
  return {
    by,
    lives: countChange(own.lives, other.lives, work),
    livesOnPaths: countChange(own.livesOnPaths, other.livesOnPaths, work),
    livesOnOtherPaths: countChange(own.livesOnOtherPaths, other.livesOnOtherPaths, work),
    counts: countPaths(rows),
    rows,
  };
}

function countPaths(rows: readonly PathChange[]): PathChanges['counts'] {
  const count = (isMet: (row: PathChange) => boolean): number => rows.filter(isMet).length;
  return {
    appeared: count(({ presence }) => presence === 'appeared'),
    vanished: count(({ presence }) => presence === 'vanished'),
    changed: count(({ presence, frequency }) => presence === 'both' && changeOf(frequency) !== 0),
    alike: count(({ presence, frequency }) => presence === 'both' && changeOf(frequency) === 0),
  };
}

function collectPaths(profile: Profile, by: PathBy): Map<string, OfPath> {
  const paths = new Map<string, OfPath>();
  for (const {
    frequency,
    averageLifetimeInstructions,
    type,
    variable,
    allocatedBy,
    steps,
    end,
    freedBy,
    freedOnAnotherCore,
  } of buildPathTraces(profile).rows) {
    const path = {
      type,
      variable,
      allocatedBy,
      steps: steps.map((step) => placeOf(step, by)),
      end,
      freedBy,
      freedOnAnotherCore,
    };
    const key = JSON.stringify(path);
    let own = paths.get(key);
    if (own === undefined) paths.set(key, (own = { path, lives: 0, lifetime: 0 }));
    own.lives += frequency;
    own.lifetime += frequency * averageLifetimeInstructions;
  }
  return paths;
}

function placeOf({ function: name, file, line, coreChange, cut }: PathStep, by: PathBy): PathPlace {
  return { function: name, ...(by !== 'function' && { file, line }), coreChange, cut };
}

function rowOf(before: OfPath | undefined, after: OfPath | undefined, work: Work | null): PathChange {
  const lifetime = (own: OfPath | undefined): number | null => (own === undefined ? null : own.lifetime / own.lives);
  return {
    ...(before ?? after)!.path,
    presence: before === undefined ? 'appeared' : after === undefined ? 'vanished' : 'both',
    frequency: countChange(before?.lives ?? 0, after?.lives ?? 0, work),
    averageLifetimeInstructions: averageChange(lifetime(before), lifetime(after)),
  };
}
