// Stage: views -> text. The sharing numbers over several schedules, each as minimum, median and maximum; the whole run
// first.

import { CLASSES } from '../replay/machine.js';
import type { Range, Schedules, SchedulesRow, SharingRanges } from '../views/schedules.js';
import { formatCount } from './format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const columns: readonly TextColumn[] = [
  { heading: 'type and field', align: 'left', shortest: 16 },
  { heading: 'true sharing', align: 'right', expendable: 2 },
  { heading: 'false sharing', align: 'right', expendable: 1 },
  { heading: 'c2c', align: 'right', expendable: 4 },
  { heading: 'transfers', align: 'right', expendable: 3 },
  { heading: 'L2 true', align: 'right', expendable: 7 },
  { heading: 'L2 false', align: 'right', expendable: 6 },
  { heading: 'leading class', align: 'left', shortest: 20 },
];

const FIELDS_PER_TYPE = 6;

export function schedulesSection(view: Schedules, top: number, width: number): TextSection {
  const moving = view.rows.filter((row) => row.transfers.maximum > 0);
  const types = moving.filter((row) => row.field === null).slice(0, top);
  const rows = types.flatMap((type) => {
    const fields = moving.filter((row) => row.field !== null && row.type === type.type).slice(0, FIELDS_PER_TYPE);
    return [cells(type, type.type), ...fields.map((field) => cells(field, `  ${field.field}`))];
  });
  const { ranges, schedules } = view;
  const changing = view.rows.filter((row) => row.field === null && row.leadingClassChanges).length;
  return {
    title: `schedules: sharing under ${schedules.length} orders of the threads`,
    body: renderTable(columns, [...rows, ['all types', ...rangeCells(ranges), '']], width),
    notes: [
      [
        '',
        `${types.length} of ${moving.filter((row) => row.field === null).length} types with lines that went from core to core, under ${spellSchedules(schedules)}; each number as minimum..median..maximum, or once where they are equal.`,
      ],
      [
        '',
        `Invalidations: ${spellRange(ranges.invalidations)}; upgrades: ${spellRange(ranges.upgrades)}; write-backs: ${spellRange(ranges.writeBacks)}.`,
      ],
      ['true sharing', 'L1 misses of that class.'],
      ['false sharing', 'L1 misses of that class.'],
      ['c2c', "references served by another core's cache."],
      ['transfers', 'references to a line whose previous one came from another core.'],
      [
        'leading class',
        `the class of most L1 misses, CHANGES with the number of schedules for each where it is not one and the same (${formatCount(changing)} of all types).`,
      ],
    ],
  };
}

function spellSchedules(schedules: Schedules['schedules']): string {
  const seeds = schedules.flatMap((schedule) => (schedule.kind === 'random' ? [schedule.seed] : []));
  const others = schedules.flatMap((schedule) => (schedule.kind === 'random' ? [] : [schedule.kind]));
  const random =
    seeds.length === 0 ? [] : [`random with ${seeds.length === 1 ? 'seed' : 'the seeds'} ${seeds.join(', ')}`];
  return [...others, ...random].join(' and ');
}

function cells(row: SchedulesRow, name: string): string[] {
  const leading = CLASSES.filter((missClass) => row.leadingClass[missClass] > 0);
  const spelled = row.leadingClassChanges
    ? `CHANGES: ${leading.map((name) => `${name} ${row.leadingClass[name]}`).join(', ')}`
    : (leading[0] ?? '-');
  return [name, ...rangeCells(row), spelled];
}

function rangeCells({ levels, cacheToCache, transfers }: SharingRanges): string[] {
  return [
    levels.l1['true-sharing'],
    levels.l1['false-sharing'],
    cacheToCache,
    transfers,
    levels.l2['true-sharing'],
    levels.l2['false-sharing'],
  ].map(spellRange);
}

function spellRange({ minimum, median, maximum }: Range): string {
  return minimum === maximum ? formatCount(minimum) : [minimum, median, maximum].map(formatCount).join('..');
}
