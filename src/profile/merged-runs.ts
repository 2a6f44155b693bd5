// Stage: profile. The runs that a profile is of: one, or those that were merged; what all of them have in common, and
// where each one's objects are.

import { createHash, type Hash } from 'node:crypto';
import { sumDamage } from '../contract/damage.js';
import { sumLeftOut } from '../contract/left-out.js';
import { pick, type Cell, type ColumnArray } from '../base/table-description.js';
import { countObjects, listObjects } from './object-source.js';
import type { MergedRun, Profile, RunFacts, WindowBorder, WindowFacts } from './profile.js';
import { arePhases, isRun } from './run-facts.js';
import { ALL_TABLES, cellsOf, CHUNKED_TABLES } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** A profile that was not merged is of one run. */
export function runsOf(profile: Profile): readonly MergedRun[] {
  if (profile.runs !== undefined) return profile.runs;
  const { run, totals, window, phases } = profile;
  return [
    {
      run,
      ...(window && { window }),
      instructions: totals.instructions,
      closedStamps: totals.closedStamps,
      phases,
      objects: countObjects(profile),
      digest: digestOf(profile),
    },
  ];
}

/** Covers everything that a profile says, except the machine, which may have another name. */
function digestOf(profile: Profile): string {
  const { run, schedule, cpus, schedules, totals, window, phases, marks, strings, flow } = profile;
  const hash = createHash('sha256').update(
    JSON.stringify([
      run,
      schedule,
      schedules,
      totals,
      phases,
      marks,
      strings,
      ...(window ? [window] : []),
      ...(cpus ? [cpus] : []),
      ...(flow ? [flow.by, flow.mostPaths, flow.mostSteps] : []),
      ...(profile.sharedAddresses ? [profile.sharedAddresses] : []),
    ]),
  );
  for (const { name, path, table } of ALL_TABLES) {
    const isChunked = CHUNKED_TABLES.includes(name);
    if (!isChunked && pick(profile, path) === undefined) continue;
    for (const cell of cellsOf(table, cpus !== undefined)) {
      if (isChunked) hashInChunks(hash, profile, name, cell);
      else {
        const column = pick(profile, [...path, ...cell.path]) as ColumnArray;
        hash.update(`${name}.${cell.name} ${column.byteLength}\n`).update(bytesOf(column));
      }
    }
  }
  return hash.digest('hex');
}

/** The hash is the same as that of a column that lies in memory whole. */
function hashInChunks(hash: Hash, profile: Profile, table: string, cell: Cell): void {
  const columns = function* (): Generator<ColumnArray> {
    for (const { objects, counters } of listObjects(profile))
      yield pick(table === 'objects' ? objects : counters, cell.path) as ColumnArray;
  };
  let bytes = 0;
  for (const { byteLength } of columns()) bytes += byteLength;
  hash.update(`${table}.${cell.name} ${bytes}\n`);
  for (const column of columns()) hash.update(bytesOf(column));
}

function bytesOf({ buffer, byteOffset, byteLength }: ColumnArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A function of the runs alone, so that it does not matter in which steps they were merged. */
export function describeRuns(runs: readonly MergedRun[]): RunFacts {
  const facts = runs.map(({ run }) => run);
  const [{ processes: _, recordedAt: __, damaged: ___, leftOut: ____, ...first }] = facts;
  const damaged = sumDamage(facts.map((run) => run.damaged));
  const leftOut = sumLeftOut(facts.map((run) => run.leftOut));
  const times = facts.flatMap(({ recordedAt }) => recordedAt ?? []);
  const spell = ({ command }: RunFacts): string => JSON.stringify(command);
  const endings = [...new Set(facts.map(({ ended }) => ended))].sort();
  return {
    ...first,
    command: facts.every((run) => spell(run) === spell(first))
      ? first.command
      : [`${new Set(facts.map(spell)).size} programs or ways to call them`],
    ended: endings.join('; '),
    truncated: facts.some(({ truncated }) => truncated),
    ...(damaged && { damaged }),
    ...(leftOut && { leftOut }),
    addressRandomisation: facts.some(({ addressRandomisation }) => addressRandomisation),
    threads: facts.reduce((sum, { threads }) => sum + threads, 0),
    ...(times.length === facts.length && { recordedAt: times.reduce((first, time) => Math.min(first, time)) }),
    refusals: refusalsOf(facts),
    stampsPerSecond: fastest(facts),
  };
}

/**
 * Refusals are of a program's text: runs of one program have the larger count of both, runs of two programs the sum.
 */
function refusalsOf(facts: readonly RunFacts[]): Record<string, number> {
  const programs = new Map<string, Map<string, number>>();
  for (const {
    command: [program = ''],
    refusals,
  } of facts) {
    const counts = programs.get(program) ?? new Map<string, number>();
    for (const [reason, count] of Object.entries(refusals))
      counts.set(reason, Math.max(count, counts.get(reason) ?? 0));
    programs.set(program, counts);
  }
  const sums: Record<string, number> = {};
  const reasons = [...new Set(facts.flatMap(({ refusals }) => Object.keys(refusals)))].sort();
  for (const reason of reasons)
    sums[reason] = [...programs.values()].reduce((sum, counts) => sum + (counts.get(reason) ?? 0), 0);
  return sums;
}

function fastest(facts: readonly RunFacts[]): number {
  return facts.reduce((most, { stampsPerSecond }) => Math.max(most, stampsPerSecond), 0);
}

/** Recorders measure what a second is, each for itself: all in the stamps of the fastest. */
export function closedStampsOf(runs: readonly MergedRun[]): number {
  const rate = fastest(runs.map(({ run }) => run));
  return Math.round(
    runs.reduce(
      (sum, { closedStamps, run }) => sum + (run.stampsPerSecond > 0 ? (closedStamps * rate) / run.stampsPerSecond : 0),
      0,
    ),
  );
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkWindow(window: unknown): void {
  const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  const isBorder = (value: unknown): boolean => {
    if (value === null) return true;
    const { asked, references, time } = (value ?? {}) as Partial<Record<keyof WindowBorder, unknown>>;
    return typeof asked === 'string' && isCount(references) && isCount(time);
  };
  const { from, to, warmUp } = (window ?? {}) as Partial<Record<keyof WindowFacts, unknown>>;
  if (![from, to, warmUp].every(isBorder))
    throw new ProfileError(
      'window of the profile',
      HEADER_BYTES,
      'borders with what was asked for, references and time',
      'something else',
    );
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkRuns(runs: unknown, objects: number): void {
  const refuse = (expected: string, actual: string): never => {
    throw new ProfileError('runs of the profile', HEADER_BYTES, expected, actual);
  };
  if (!Array.isArray(runs) || runs.length < 2) return refuse('a list of two or more', 'something else');
  let sum = 0;
  for (const one of runs as unknown[]) {
    const {
      run,
      instructions,
      closedStamps,
      window,
      phases,
      objects: own,
      digest,
    } = (one ?? {}) as Partial<Record<keyof MergedRun, unknown>>;
    // Stamps may be more than can be counted one by one.
    const counts = [instructions, closedStamps];
    if (
      !isRun(run) ||
      !arePhases(phases) ||
      typeof digest !== 'string' ||
      !counts.every((count) => Number.isFinite(count) && (count as number) >= 0) ||
      !(Number.isSafeInteger(own) && (own as number) >= 0)
    ) {
      refuse('runs with command, counts, phases and digest', 'something else');
    }
    if (window !== undefined) checkWindow(window);
    sum += own as number;
  }
  if (sum !== objects) refuse(`${objects} objects`, `${sum}`);
}
