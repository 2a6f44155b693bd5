// Stage: profile -> views. How far the sharing numbers depend on the order of the threads: of every one its minimum,
// median and maximum over the schedules that the trace was replayed under, and the types whose leading class is not the
// same in all of them.

import { formatCount, formatRange } from '../base/format-number.js';
import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { ROW_COUNTS, RUN_COUNTS, type ScheduleRow, type ScheduleTable } from '../profile/schedule-table.js';
import { CLASSES, type LevelName, type MissClass, type Schedule } from '../contract/machine.js';
import { parseSchedule } from '../replay/schedule.js';
import { column, type Column, type Range } from './columns.js';
import { perLevel } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';
import { nestFields, type ViewDefinition } from './view-definition.js';

export interface SharingRanges {
  readonly levels: Record<LevelName, Record<'true-sharing' | 'false-sharing', Range>>;
  /** References served by another core's cache, on this socket or another. */
  readonly cacheToCache: Range;
  readonly transfers: Range;
  readonly orderBoundTransfers: Range;
}

export interface SchedulesRow extends SharingRanges {
  readonly type: string;
  /** null: the whole type. */
  readonly field: string | null;
  /**
   * For each class, the number of schedules in which it has most of the L1 misses; ties: the class that is named first.
   * A schedule without misses has no leading class.
   */
  readonly leadingClass: Record<MissClass, number>;
  readonly leadingClassChanges: boolean;
}

export interface Schedules extends View<SchedulesRow> {
  readonly schedules: readonly Schedule[];
  /** The ranges of the whole run; `totals` are those of the first schedule. */
  readonly ranges: SharingRanges & Record<(typeof RUN_COUNTS)[number], Range>;
}

export function buildSchedules(profile: Profile): Schedules {
  const table = profile.schedules;
  if (!table) {
    throw new DprofError(
      'this was replayed under one schedule only',
      'dprof report TRACE --schedules 8, or dprof replay TRACE --schedules 8 -o PROFILE',
    );
  }
  const view = wrapRows(profile, 'schedules', table.rows.map(toRow));
  return {
    ...view,
    schedules: table.schedules.map((one) => parseSchedule(one) ?? { kind: 'logical' }),
    ranges: rangesOfRun(table),
  };
}

function rangesOfRun({ schedules, run, rows }: ScheduleTable): Schedules['ranges'] {
  const wholes = rows.filter(({ field }) => field === null);
  const sums = schedules.map((_, schedule) =>
    ROW_COUNTS.map((_name, index) => wholes.reduce((sum, { counts }) => sum + counts[schedule][index], 0)),
  );
  const ofRun = Object.fromEntries(
    RUN_COUNTS.map((name, index) => [name, rangeOf(run.map((counts) => counts[index]))]),
  );
  return { ...(ofRun as Record<(typeof RUN_COUNTS)[number], Range>), ...sharingRanges(sums) };
}

function toRow({ type, field, counts }: ScheduleRow): SchedulesRow {
  const leading = counts.map(leadingClassOf);
  const leadingClass = Object.fromEntries(
    CLASSES.map((name) => [name, leading.filter((led) => led === name).length]),
  ) as Record<MissClass, number>;
  return {
    type,
    field,
    ...sharingRanges(counts),
    leadingClass,
    leadingClassChanges: CLASSES.filter((name) => leadingClass[name] > 0).length > 1,
  };
}

function leadingClassOf(counts: readonly number[]): MissClass | null {
  const misses = CLASSES.map((name) => counts[ROW_COUNTS.indexOf(`l1.${name}`)]);
  const most = Math.max(...misses);
  return most === 0 ? null : CLASSES[misses.indexOf(most)];
}

function sharingRanges(counts: readonly (readonly number[])[]): SharingRanges {
  const range = (...names: string[]): Range =>
    rangeOf(counts.map((row) => names.reduce((sum, name) => sum + row[ROW_COUNTS.indexOf(name)], 0)));
  return {
    levels: perLevel((level) => ({
      'true-sharing': range(`${level}.true-sharing`),
      'false-sharing': range(`${level}.false-sharing`),
    })),
    cacheToCache: range('served.cache', 'served.remote-cache'),
    transfers: range('transfers'),
    orderBoundTransfers: range('orderBoundTransfers'),
  };
}

function rangeOf(counts: readonly number[]): Range {
  const sorted = [...counts].sort((a, b) => a - b);
  return { minimum: sorted[0], median: sorted[(sorted.length - 1) >> 1], maximum: sorted[sorted.length - 1] };
}

const FIELDS_PER_TYPE = 6;

const range = (
  id: string,
  heading: string,
  value: (row: SharingRanges) => Range,
  { ranges }: Schedules,
  expendable: number,
  meaning?: string,
): Column<SchedulesRow> =>
  column('range', id, heading, value, { expendable, all: value(ranges), ...(meaning !== undefined && { meaning }) });

function scheduleColumns(view: Schedules): Column<SchedulesRow>[] {
  const changing = view.rows.filter((row) => row.field === null && row.leadingClassChanges).length;
  const ofClass = 'L1 misses of that class.';
  return [
    column(
      'name',
      'type',
      'type and field',
      ({ type, field }: SchedulesRow) => (field === null ? type : `  ${field}`),
      {
        shortest: 16,
        all: 'all types',
      },
    ),
    range('true', 'true sharing', ({ levels }) => levels.l1['true-sharing'], view, 2, ofClass),
    range('false', 'false sharing', ({ levels }) => levels.l1['false-sharing'], view, 1, ofClass),
    range('c2c', 'c2c', ({ cacheToCache }) => cacheToCache, view, 4, "references served by another core's cache."),
    range(
      'transfers',
      'transfers',
      ({ transfers }) => transfers,
      view,
      3,
      'references to a line whose previous one came from another core.',
    ),
    range('l2.true', 'L2 true', ({ levels }) => levels.l2['true-sharing'], view, 7),
    range('l2.false', 'L2 false', ({ levels }) => levels.l2['false-sharing'], view, 6),
    column('words', 'leadingClass', 'leading class', spellLeading, {
      meaning:
        'the class of most L1 misses, CHANGES with the number of schedules for each where it is not one and the ' +
        `same (${formatCount(changing)} of all types).`,
      shortest: 20,
    }),
  ];
}

function spellLeading({ leadingClass, leadingClassChanges }: SchedulesRow): string {
  const leading = CLASSES.filter((one) => leadingClass[one] > 0);
  return leadingClassChanges
    ? `CHANGES: ${leading.map((one) => `${one} ${leadingClass[one]}`).join(', ')}`
    : (leading[0] ?? '-');
}

function spellSchedules(schedules: Schedules['schedules']): string {
  const seeds = schedules.flatMap((schedule) => (schedule.kind === 'random' ? [schedule.seed] : []));
  const others = schedules.flatMap((schedule) => (schedule.kind === 'random' ? [] : [schedule.kind]));
  const random =
    seeds.length === 0 ? [] : [`random with ${seeds.length === 1 ? 'seed' : 'the seeds'} ${seeds.join(', ')}`];
  return [...others, ...random].join(' and ');
}

export const schedules: ViewDefinition<Schedules> = {
  build: buildSchedules,
  needs: 'schedules',
  columns: scheduleColumns,
  inReport: 'no page',
  filters: ['type', 'field'],
  table(view, top) {
    const { ranges } = view;
    const moving = view.rows.filter((row) => row.transfers.maximum > 0);
    const types = moving.filter((row) => row.field === null);
    const shown = types.slice(0, top);
    return {
      title: `schedules: sharing under ${view.schedules.length} orders of the threads`,
      columns: scheduleColumns(view),
      lines: nestFields(shown, moving, () => true, { most: FIELDS_PER_TYPE, countsLeft: null }),
      hasAll: true,
      notes: [
        `${shown.length} of ${types.length} types with lines that went from core to core, under ` +
          `${spellSchedules(view.schedules)}; each number as minimum..median..maximum, or once where they are ` +
          'equal.',
        `Invalidations: ${formatRange(ranges.invalidations)}; upgrades: ${formatRange(ranges.upgrades)}; ` +
          `write-backs: ${formatRange(ranges.writeBacks)}.`,
      ],
    };
  },
};
