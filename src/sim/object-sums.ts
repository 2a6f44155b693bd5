// Stage: replay. Objects that are alike in all that names them become one row: ReplayInput.mostObjects.

import { NO_INDEX } from '../base/ids.js';
import type { RowOf } from '../base/table-description.js';
import { OBJECT_COLUMNS, OBJECT_COUNTER_COLUMNS, OBJECT_COUNTERS, type ReplayResult } from '../contract/result.js';
import { tableOf } from './table.js';

type Row = { -readonly [Name in keyof RowOf<typeof OBJECT_COLUMNS>]: RowOf<typeof OBJECT_COLUMNS>[Name] };

const COLUMNS = Object.keys(OBJECT_COLUMNS) as (keyof Row)[];
const SUMMED: readonly (keyof Row)[] = ['lives', 'lifetime', 'references'];
const NAMING = COLUMNS.filter((name) => !['address', 'bornAt', 'diedAt', ...SUMMED].includes(name));
/** Of `diedAt`. */
const NEVER = -1;

/** `most`: objects that need no sums. */
export function sumObjects(result: ReplayResult, most = Infinity): ReplayResult {
  const { objects, objectCounters, sharing } = result;
  if (objects.count <= most) return result;
  const rows: Row[] = [];
  const rowOf = new Uint32Array(objects.count);
  const known = new Map<string, number>();
  for (let object = 0; object < objects.count; object++) {
    const one = Object.fromEntries(COLUMNS.map((name) => [name, objects[name][object]])) as Row;
    const key = NAMING.map((name) => one[name]).join(' ');
    const row = known.get(key);
    known.set(key, (rowOf[object] = row ?? rows.length));
    if (row === undefined) rows.push(one);
    else addTo(rows[row], one);
  }
  const sums = new Map<number, number>();
  for (let at = 0; at < objectCounters.count; at++) {
    const counter = rowOf[objectCounters.object[at]] * OBJECT_COUNTERS.length + objectCounters.counter[at];
    sums.set(counter, (sums.get(counter) ?? 0) + objectCounters.value[at]);
  }
  const counted = [...sums].sort(([a], [b]) => a - b);
  const place = (object: number): number => (object === NO_INDEX ? NO_INDEX : rowOf[object]);
  return {
    ...result,
    objectsAreSums: true,
    objects: tableOf(rows, OBJECT_COLUMNS),
    objectCounters: tableOf(
      counted.map(([counter, value]) => ({
        object: Math.floor(counter / OBJECT_COUNTERS.length),
        counter: counter % OBJECT_COUNTERS.length,
        value,
      })),
      OBJECT_COUNTER_COLUMNS,
    ),
    sharing: { ...sharing, missObject: sharing.missObject.map(place), writeObject: sharing.writeObject.map(place) },
  };
}

function addTo(sum: Row, one: Row): void {
  for (const name of SUMMED) sum[name] += one[name];
  sum.diedAt = [sum.diedAt, one.diedAt].includes(NEVER) ? NEVER : Math.max(sum.diedAt, one.diedAt);
}
