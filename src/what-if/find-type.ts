// Stage: command line -> what-if. Names of types and fields, as a person writes them, to rows of the catalog.

import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { isRecord, membersOf } from './layout-change.js';

/** Whether a person means the type by this name. */
export function isCalled({ types }: Catalog, type: number, name: string): boolean {
  return [types.name[type], types.tag[type]].some((one) => one === name || one === `struct ${name}`);
}

/** All definitions of the name: in one program a name has one, but for those that the report tells apart. */
export function findTypes(catalog: Catalog, name: string, option: string): number[] {
  const { types } = catalog;
  const known = Array.from({ length: types.count }, (_, type) => type).filter(
    (type) => isRecord(catalog, type) && types.memberCount[type] > 0,
  );
  const found = known.filter((type) => isCalled(catalog, type, name));
  if (found.length > 0) return found;
  const close = closestNames(
    name,
    known.map((type) => types.name[type]),
  );
  throw new DprofError(
    `${option}: the trace has no struct or class '${name}' whose fields it knows`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : 'compile the program with dprof-cc, with the type in it',
    2,
  );
}

/** 'TYPE' or 'TYPE.FIELD'. */
export function findTypesOrField(catalog: Catalog, text: string, option: string): { types: number[]; member?: string } {
  const cut = text.lastIndexOf('.');
  const isName = cut < text.lastIndexOf(')'); // "struct counters (a.c:3)"
  if (cut < 0 || isName) return { types: findTypes(catalog, text, option) };
  return { types: findTypes(catalog, text.slice(0, cut).trim(), option), member: text.slice(cut + 1).trim() };
}

/** The row of the type's member. */
export function findMember(catalog: Catalog, type: number, name: string): number {
  const { members, types } = catalog;
  const rows = membersOf(catalog, type);
  const found = rows.find((row) => members.name[row] === name);
  if (found !== undefined) return found;
  const close = closestNames(
    name,
    rows.map((row) => members.name[row]).filter((one) => one !== ''),
  );
  throw new DprofError(`${types.name[type]} has no field '${name}'`, `nearest: ${close.join(', ')}`, 2);
}
