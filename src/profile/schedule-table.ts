// Stage: replay -> profile. The numbers that depend on the order of the threads, of several replays of one trace side
// by side: a profile that was made with --schedules carries them beside its own numbers, which are those of the first
// schedule.

import { CLASSES, LEVELS } from '../contract/machine.js';
import { parseSchedule } from '../replay/schedule.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/**
 * The counts of a row, in each schedule. Of the L1 it has all classes of misses, since any of them may be the largest;
 * of the other levels only those of sharing.
 */
export const ROW_COUNTS: readonly string[] = [
  ...CLASSES.map((name) => `l1.${name}`),
  ...LEVELS.slice(1).flatMap((level) => ['true-sharing', 'false-sharing'].map((name) => `${level}.${name}`)),
  'served.cache',
  'served.remote-cache',
  'transfers',
  'orderBoundTransfers',
];
/** The counts of the whole run, in each schedule. Counts that rows have too are their sum instead. */
export const RUN_COUNTS = ['invalidations', 'upgrades', 'writeBacks'] as const;

export interface ScheduleRow {
  readonly type: string;
  /** null: the whole type. */
  readonly field: string | null;
  /** By schedule, then as ROW_COUNTS. */
  readonly counts: readonly (readonly number[])[];
}

export interface ScheduleTable {
  /** As they are spelled: random:7. The first is the profile's own. */
  readonly schedules: readonly string[];
  /** By schedule, then as RUN_COUNTS. */
  readonly run: readonly (readonly number[])[];
  /** Every type that was referenced, each followed by its fields; by L1 misses in the first schedule, then name. */
  readonly rows: readonly ScheduleRow[];
}

/** The counts of one replay. */
export interface ScheduleCounts {
  readonly schedule: string;
  readonly run: readonly number[];
  /** By type, then field; `null`: the whole type. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string | null, readonly number[]>>;
}

export function joinSchedules(all: readonly ScheduleCounts[]): ScheduleTable {
  const none = ROW_COUNTS.map(() => 0);
  const fieldsOf = new Map<string, Set<string | null>>();
  for (const { types } of all) {
    for (const [type, fields] of types) fieldsOf.set(type, new Set([...(fieldsOf.get(type) ?? []), ...fields.keys()]));
  }
  const rowOf = (type: string, field: string | null): ScheduleRow => ({
    type,
    field,
    counts: all.map(({ types }) => types.get(type)?.get(field) ?? none),
  });
  const rows = [...fieldsOf].map(([type, fields]) => ({
    whole: rowOf(type, null),
    fields: [...fields].flatMap((field) => (field === null ? [] : [rowOf(type, field)])).sort(byMissesThenName),
  }));
  rows.sort((a, b) => byMissesThenName(a.whole, b.whole));
  return {
    schedules: all.map(({ schedule }) => schedule),
    run: all.map(({ run }) => run),
    rows: rows.flatMap(({ whole, fields }) => [whole, ...fields]),
  };
}

/** Adds the tables of several runs under the same schedules, schedule by schedule. */
export function mergeScheduleTables(tables: readonly ScheduleTable[]): ScheduleTable {
  const [{ schedules }] = tables;
  const add = (sums: readonly number[], counts: readonly number[]): number[] =>
    sums.map((sum, index) => sum + counts[index]);
  const joined = schedules.map((schedule, at): ScheduleCounts => {
    const types = new Map<string, Map<string | null, readonly number[]>>();
    for (const { type, field, counts } of tables.flatMap(({ rows }) => rows)) {
      const fields = types.get(type) ?? new Map<string | null, readonly number[]>();
      const known = fields.get(field);
      fields.set(field, known === undefined ? counts[at] : add(known, counts[at]));
      types.set(type, fields);
    }
    return { schedule, run: tables.map(({ run }) => run[at]).reduce(add), types };
  });
  return joinSchedules(joined);
}

function byMissesThenName(a: ScheduleRow, b: ScheduleRow): number {
  const misses = ({ counts }: ScheduleRow): number => CLASSES.reduce((sum, _, index) => sum + counts[0][index], 0);
  const name = ({ type, field }: ScheduleRow): string => field ?? type;
  return misses(b) - misses(a) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0);
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkScheduleTable(table: unknown): void {
  const refuse = (what: string, expected: string): never => {
    throw new ProfileError(`schedules of the profile: ${what}`, HEADER_BYTES, expected, 'something else');
  };
  const { schedules, run, rows } = (typeof table === 'object' && table !== null ? table : {}) as Partial<
    Record<keyof ScheduleTable, unknown>
  >;
  if (
    !Array.isArray(schedules) ||
    schedules.length === 0 ||
    !schedules.every((one) => typeof one === 'string' && parseSchedule(one) !== null)
  ) {
    refuse('names', 'a list of schedules');
  }
  const count = (schedules as string[]).length;
  if (!isMatrix(run, count, RUN_COUNTS.length)) refuse('run', `${count} x ${RUN_COUNTS.length} counts`);
  if (!Array.isArray(rows)) refuse('rows', 'a list');
  for (const row of rows as unknown[]) {
    const { type, field, counts } = (row ?? {}) as Partial<Record<keyof ScheduleRow, unknown>>;
    if (typeof type !== 'string' || (field !== null && typeof field !== 'string')) refuse('row', 'a type and a field');
    if (!isMatrix(counts, count, ROW_COUNTS.length))
      refuse(`row ${String(type)}`, `${count} x ${ROW_COUNTS.length} counts`);
  }
}

function isMatrix(value: unknown, rows: number, columns: number): boolean {
  return (
    Array.isArray(value) &&
    value.length === rows &&
    value.every(
      (row) =>
        Array.isArray(row) && row.length === columns && row.every((count) => Number.isSafeInteger(count) && count >= 0),
    )
  );
}
