// Stage: file -> profile. Whether the columns of a table fit one another, and every index points into what it is an
// index of: tables.ts says which. Nothing uses a column before that.

import { NO_INDEX } from '../base/ids.js';
import { pick, widthOf, type Cell, type ColumnArray } from '../base/table-description.js';
import { LEVELS, type Machine } from '../contract/machine.js';
import { setBinsOf } from '../contract/result.js';
import type { ProfileObjects } from './object-source.js';
import type { Profile } from './profile.js';
import { countRows } from './table-rows.js';
import { ALL_TABLES, cellsOf, CHUNKED_TABLES, TABLES, type TableDescription } from './tables.js';
import { ProfileError } from './profile-error.js';

/** By what columns are rows of: how many there are. */
export type RowCounts = Readonly<Record<string, number>>;

export function checkTables(profile: Profile): void {
  const { types, sites, strings, machine, locks } = profile;
  const counts = {
    ...rowCounts(types.name.length, sites.function.length, strings.length, machine.cores),
    lock: locks?.kind.length ?? 0,
  };
  if (sites.function.length === 0)
    throw new ProfileError('column sites.function', 0, 'a first row for "unknown"', 'none');
  checkCallers(sites.caller);
  const bins = LEVELS.map((level) => setBinsOf(machine[level], machine.lineBytes).bins);
  for (const { name, path, table } of ALL_TABLES) {
    const columns = pick(profile, path);
    if (columns === undefined || CHUNKED_TABLES.includes(name)) continue;
    const cells = cellsOf(table);
    checkLengths(name, cells, columns, rowsOf(table, columns, profile));
    for (const cell of cells) {
      const column = pick(columns, cell.path) as ColumnArray;
      if (cell.column.rowOf === 'bin') checkBins(`${name}.${cell.name}`, column, pick(columns, ['level']), bins);
      else checkIndices(`${name}.${cell.name}`, column, cell, counts);
      if (table.isFromZero) checkNumbers(`${name}.${cell.name}`, column);
    }
  }
}

/** Whoever walks from a site to its callers comes to an end. The columns' lengths are checked later. */
function checkCallers(caller: Uint32Array): void {
  const isChecked = new Uint8Array(caller.length);
  for (let first = 0; first < caller.length; first++) {
    const passed: number[] = [];
    for (let at = first; at !== 0 && at < caller.length && isChecked[at] !== 1; at = caller[at]) {
      if (isChecked[at] === 2) throw new ProfileError(`column sites.caller, row ${at},`, 0, 'no circle', 'one');
      isChecked[at] = 2;
      passed.push(at);
    }
    for (const at of passed) isChecked[at] = 1;
  }
}

export function rowCounts(type: number, site: number, string: number, core: number): RowCounts {
  return { type, site, string, core };
}

/** A chunk of objects; its columns are of one length already. */
export function checkObjects({ first, objects, counters }: ProfileObjects, counts: RowCounts): void {
  for (const cell of cellsOf(TABLES.objects, objects.core !== undefined))
    checkIndices(`objects.${cell.name}`, pick(objects, cell.path) as ColumnArray, cell, counts, first);
  const own = { ...counters, object: counters.object.map((object) => object - first) };
  for (const cell of cellsOf(TABLES.objectCounters))
    checkIndices(`objectCounters.${cell.name}`, pick(own, cell.path) as ColumnArray, cell, {
      object: objects.address.length,
    });
}

function rowsOf({ columns: described, rowsOf }: TableDescription, columns: unknown, profile: Profile): number {
  const { tallies, flow, machine } = profile;
  switch (rowsOf) {
    case undefined:
      return countRows(described, columns);
    case 'tallies':
      return tallies.type.length;
    case 'flow.paths':
      return flow?.paths.type.length ?? 0;
    case 'flow.steps':
      return flow?.steps.site.length ?? 0;
    case 'steps of flow.paths':
      return flow?.paths.steps.reduce((total, count) => total + count, 0) ?? 0;
    case 'sets of the machine':
      return setsOfAll(machine);
  }
}

function setsOfAll(machine: Machine): number {
  return LEVELS.reduce((total, level) => total + setBinsOf(machine[level], machine.lineBytes).sets, 0);
}

function checkLengths(table: string, cells: readonly Cell[], columns: unknown, rows: number): void {
  for (const { name, path, column } of cells) {
    const [{ length }, expected] = [pick(columns, path) as ColumnArray, rows * widthOf(column)];
    if (length !== expected) throw new ProfileError(`column ${table}.${name}`, 0, `${expected} rows`, `${length}`);
  }
}

function checkIndices(
  name: string,
  column: ColumnArray,
  { column: { rowOf, names, isEach, mayBeNone, below } }: Cell,
  counts: RowCounts,
  firstRow = 0,
): void {
  const limit = below ?? (rowOf === undefined ? (isEach ? undefined : names?.members.length) : counts[rowOf]);
  if (limit === undefined) return;
  for (let row = 0; row < column.length; row++) {
    if (column[row] < limit || (mayBeNone && column[row] === NO_INDEX)) continue;
    throw new ProfileError(`column ${name}, row ${firstRow + row},`, 0, `an index below ${limit}`, `${column[row]}`);
  }
}

/** A bin must be below the number of bins of the row's level, which is checked already. */
function checkBins(name: string, column: ColumnArray, levels: unknown, bins: readonly number[]): void {
  column.forEach((bin, row) => {
    const limit = bins[(levels as ColumnArray)[row]];
    if (!(bin < limit)) throw new ProfileError(`column ${name}, row ${row},`, 0, `a bin below ${limit}`, `${bin}`);
  });
}

function checkNumbers(name: string, column: ColumnArray): void {
  const wrong = column.findIndex((value: number) => !(Number.isFinite(value) && value >= 0));
  if (wrong !== -1)
    throw new ProfileError(`column ${name}, row ${wrong},`, 0, 'a number from 0 on', `${column[wrong]}`);
}
