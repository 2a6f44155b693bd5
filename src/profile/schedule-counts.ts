// Stage: replay -> profile. The counts of one replay, from which schedule-table.ts joins those of several schedules.

import type { Profile } from './profile.js';
import { ROW_COUNTS, RUN_COUNTS, type ScheduleCounts } from './schedule-table.js';
import { counterIndex } from './counters.js';
import { COUNTERS } from '../contract/result.js';
import { NO_INDEX } from '../base/ids.js';

export function countSchedule({ schedule, totals, tallies, types, strings }: Profile): ScheduleCounts {
  const columns = ROW_COUNTS.map(counterIndex);
  const counts = new Map<string, Map<string | null, number[]>>();
  const add = (fields: Map<string | null, number[]>, field: string | null, row: number): void => {
    const sums = fields.get(field) ?? columns.map(() => 0);
    columns.forEach((column, index) => (sums[index] += tallies.counters[row * COUNTERS.length + column]));
    fields.set(field, sums);
  };
  for (let row = 0; row < tallies.type.length; row++) {
    const type = strings[types.name[tallies.type[row]]];
    let fields = counts.get(type);
    if (fields === undefined) counts.set(type, (fields = new Map()));
    add(fields, null, row);
    if (tallies.field[row] !== NO_INDEX) add(fields, strings[tallies.field[row]], row);
  }
  return { schedule, run: RUN_COUNTS.map((name) => totals[name]), types: counts };
}
