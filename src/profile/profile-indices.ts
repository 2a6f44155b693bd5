// Stage: file -> profile. Every index of a profile points into its table, and the columns of a table are of one length.

import { NO_INDEX } from '../base/ids.js';
import { CLASSES, LEVELS, type Machine } from '../replay/machine.js';
import { COUNTERS, OBJECT_COUNTERS, RELATIONS, RULES, setBinsOf } from '../replay/result.js';
import { ProfileError, type Column } from './profile-format.js';
import type { ProfileObjects } from './object-source.js';
import { FAMILIES, OBJECT_KINDS, type Profile, type SharingSideColumns, type TakerColumns } from './profile.js';

export function checkIndices(profile: Profile): void {
  const { strings, types, sites, tallies, sharing } = profile;
  checkLengths('types', types.name.length, types);
  checkBelow('types.name', types.name, strings.length);
  checkBelow('types.family', types.family, FAMILIES.length);

  if (sites.function.length === 0)
    throw new ProfileError('column sites.function', 0, 'a first row for "unknown"', 'none');
  checkLengths('sites', sites.function.length, sites);
  checkBelow('sites.function', sites.function, strings.length);
  checkBelow('sites.file', sites.file, strings.length);

  const { counters, ...tallyColumns } = tallies;
  checkLengths('tallies', tallies.type.length, tallyColumns);
  checkLengths('tallies', tallies.type.length * COUNTERS.length, { counters });
  checkBelow('tallies.type', tallies.type, types.name.length);
  checkBelow('tallies.field', tallies.field, strings.length, true);
  checkBelow('tallies.rule', tallies.rule, RULES.length);
  checkBelow('tallies.site', tallies.site, sites.function.length);
  checkBelow('tallies.core', tallies.core, profile.machine.cores);

  const { missed, writer, ...pairColumns } = sharing;
  checkLengths('sharing', sharing.class.length, pairColumns);
  checkBelow('sharing.class', sharing.class, CLASSES.length);
  checkBelow('sharing.relation', sharing.relation, RELATIONS.length);
  for (const [name, side] of Object.entries<SharingSideColumns>({ missed, writer })) {
    checkLengths(`sharing.${name}`, sharing.class.length, side);
    checkBelow(`sharing.${name}.type`, side.type, types.name.length);
    checkBelow(`sharing.${name}.field`, side.field, strings.length, true);
    checkBelow(`sharing.${name}.site`, side.site, sites.function.length);
    checkBelow(`sharing.${name}.allocationSite`, side.allocationSite, sites.function.length);
    checkBelow(`sharing.${name}.variable`, side.variable, strings.length, true);
  }

  const { evictions, invalidations, unusedBytes } = profile;
  checkTakers('evictions', evictions, types.name.length, profile.machine);
  checkTakers('invalidations', invalidations, types.name.length, profile.machine);
  checkLengths('unusedBytes', unusedBytes.type.length, unusedBytes);
  checkBelow('unusedBytes.type', unusedBytes.type, types.name.length);
  checkBelow('unusedBytes.field', unusedBytes.field, strings.length, true);
}

/** How many rows there are of what objects name. */
export interface NamedRows {
  readonly types: number;
  readonly sites: number;
  readonly strings: number;
  /** Of a profile whose objects say them. */
  readonly cores?: number;
}

export function checkObjects(
  { first, objects, counters }: ProfileObjects,
  { types, sites, strings, cores }: NamedRows,
): void {
  const check = (
    field: 'kind' | 'type' | 'site' | 'freeSite' | 'variable' | 'callPath',
    limit: number,
    noneAllowed = false,
  ): void => checkBelow(`objects.${field}`, objects[field], limit, noneAllowed, first);
  check('kind', OBJECT_KINDS.length);
  check('type', types);
  check('site', sites);
  check('freeSite', sites);
  check('variable', strings, true);
  check('callPath', strings, true);
  if (objects.core !== undefined) checkBelow('objects.core', objects.core, cores ?? 0, false, first);
  checkBelow(
    'objectCounters.object',
    counters.object.map((object) => object - first),
    objects.address.length,
  );
  checkBelow('objectCounters.counter', counters.counter, OBJECT_COUNTERS.length);
}

function checkTakers(table: string, takers: TakerColumns, types: number, machine: Machine): void {
  checkLengths(table, takers.level.length, takers);
  checkBelow(`${table}.level`, takers.level, LEVELS.length);
  checkBelow(`${table}.taker`, takers.taker, types);
  checkBelow(`${table}.owner`, takers.owner, types);
  checkBins(table, takers, machine);
}

export function checkBins(
  table: string,
  { level: levels, bin: column }: Pick<TakerColumns, 'level' | 'bin'>,
  machine: Machine,
): void {
  const bins = LEVELS.map((level) => {
    if (typeof machine[level] !== 'object')
      throw new ProfileError(`machine.${level}`, 0, 'a cache', typeof machine[level]);
    return setBinsOf(machine[level], machine.lineBytes).bins;
  });
  column.forEach((bin, row) => {
    const limit = bins[levels[row]];
    if (!(bin < limit)) throw new ProfileError(`column ${table}.bin, row ${row},`, 0, `a bin below ${limit}`, `${bin}`);
  });
}

export function checkLengths(table: string, length: number, columns: object): void {
  for (const [name, column] of Object.entries(columns as Record<string, Column>)) {
    if (column.length !== length)
      throw new ProfileError(`column ${table}.${name}`, 0, `${length} rows`, `${column.length}`);
  }
}

export function checkBelow(name: string, column: Column, limit: number, noneAllowed = false, firstRow = 0): void {
  for (let row = 0; row < column.length; row++) {
    if (column[row] < limit || (noneAllowed && column[row] === NO_INDEX)) continue;
    throw new ProfileError(`column ${name}, row ${firstRow + row},`, 0, `an index below ${limit}`, `${column[row]}`);
  }
}
