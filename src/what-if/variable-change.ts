// Stage: command line -> what-if. The words of --align and --group that name variables, and fields of these.

import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { findMember, isCalled } from './find-type.js';
import { isRecord, membersOf, withHolders, type StructChange } from './layout-change.js';

/** The words of --align that name variables, not types: by row of the catalog's variables, the alignment. */
export function variableAligns(
  catalog: Catalog,
  words: readonly string[],
): { readonly variables: ReadonlyMap<number, number>; readonly rest: readonly string[] } {
  const { variables, types } = catalog;
  const found = new Map<number, number>();
  const rest = words.filter((text) => {
    const [, name = '', bytes = ''] = /^\s*(.+?)\s*=\s*(\d+)$/.exec(text) ?? [];
    const isType = types.name.some((_, type) => isCalled(catalog, type, name));
    const rows = isType ? [] : variables.name.flatMap((one, row) => (row > 0 && one === name ? [row] : []));
    const align = Number(bytes);
    if (rows.length === 0 || align < 1 || align > 4096 || (align & (align - 1)) !== 0) return true;
    for (const row of rows) found.set(row, align);
    return false;
  });
  return { variables: found, rest };
}

/** What lies in a group: a global variable, or fields of one. */
export interface GroupMember {
  /** Of the catalog's variables. */
  readonly row: number;
  /** Rows of the catalog's members, in the order in which they were named; null: all of the variable. */
  readonly fields: readonly number[] | null;
}

/** As --group names them. */
export function namesOf({ variables, members }: Catalog, { row, fields }: GroupMember): string[] {
  const name = variables.name[row];
  return fields === null ? [name] : fields.map((field) => `${name}.${members.name[field]}`);
}

/** Of --group: what is to lie side by side, in this order. */
export function variableGroups(catalog: Catalog, words: readonly string[]): GroupMember[][] {
  const { variables, globals } = catalog;
  const placed = new Set(globals.variable);
  const names = new Map<string, number[]>();
  for (let row = 1; row < variables.count; row++)
    if (placed.has(row)) names.set(variables.name[row], [...(names.get(variables.name[row]) ?? []), row]);
  const seen = new Set<number>();
  return words.map((text) => {
    const group = new Map<number, readonly number[] | null>();
    for (const word of text.split(',')) {
      const { rows, fields } = membersCalled(catalog, names, word.trim());
      for (const row of rows) {
        const before = group.get(row);
        const isTwice = before === undefined ? seen.has(row) : before === null || fields === null;
        if (isTwice || fields?.some((field) => before?.includes(field)))
          throw new DprofError(
            `--group: '${variables.name[row]}' stands twice`,
            'each variable or field once; fields of one variable in one group',
            2,
          );
        seen.add(row);
        group.set(row, fields === null ? null : [...(before ?? []), ...fields]);
      }
    }
    return [...group].map(([row, fields]) => ({ row, fields }));
  });
}

/** 'VARIABLE' or 'VARIABLE.FIELD'. */
function membersCalled(
  catalog: Catalog,
  names: ReadonlyMap<string, readonly number[]>,
  word: string,
): { readonly rows: readonly number[]; readonly fields: readonly number[] | null } {
  const whole = names.get(word);
  if (whole !== undefined) return { rows: whole, fields: null };
  const cut = word.lastIndexOf('.');
  const rows = cut < 0 ? undefined : names.get(word.slice(0, cut).trim());
  if (rows === undefined) {
    const close = closestNames(cut < 0 ? word : word.slice(0, cut), [...names.keys()]);
    throw new DprofError(
      `--group: the trace has no global variable '${cut < 0 ? word : word.slice(0, cut)}'`,
      close.length > 0 ? `nearest: ${close.join(', ')}` : "for example --group 'hits,state.misses'",
      2,
    );
  }
  const type = catalog.variables.type[rows[0]];
  if (rows.length > 1)
    throw new DprofError(
      `--group: ${rows.length} variables are called '${word.slice(0, cut)}'`,
      'fields can be told of a name that only one has',
      2,
    );
  if (!isRecord(catalog, type))
    throw new DprofError(`--group: '${word.slice(0, cut)}' is no struct that has fields`, 'name all of it', 2);
  return { rows, fields: [findMember(catalog, type, word.slice(cut + 1).trim())] };
}

/**
 * The changes, and those of the structs whose fields lie in groups: the variable must be the only object of its type,
 * and no other type may hold it.
 */
export function withGroupedFields(
  catalog: Catalog,
  changes: readonly StructChange[],
  groups: readonly (readonly GroupMember[])[],
): StructChange[] {
  const { variables, types } = catalog;
  const made = new Map(changes.map((change) => [change.type, change]));
  for (const { row, fields } of groups.flat()) {
    if (fields === null) continue;
    const type = variables.type[row];
    const before = made.get(type);
    const rest = (before?.order ?? membersOf(catalog, type)).filter((member) => !fields.includes(member));
    if (before?.cold !== undefined || before?.perThread !== undefined)
      throw new DprofError(`--group: ${types.name[type]} is split, too`, 'leave out one of the two', 2);
    if (rest.length === 0)
      throw new DprofError(
        `--group: all fields of '${variables.name[row]}' are named`,
        `name all of it: ${variables.name[row]}`,
        2,
      );
    made.set(type, { ...before, type, order: [...rest, ...fields], cold: new Set(fields) });
  }
  return [...made.values()];
}

/** Of groups with fields: refuses those of a type that has more objects than the variable. */
export function checkGroupedFields(
  catalog: Catalog,
  groups: readonly (readonly GroupMember[])[],
  objectsOf: (type: number) => number,
): void {
  const { variables, types } = catalog;
  for (const { row, fields } of groups.flat()) {
    if (fields === null) continue;
    const type = variables.type[row];
    const holder = withHolders(catalog, [type]).find((one) => one !== type);
    if (holder !== undefined || objectsOf(type) > 1)
      throw new DprofError(
        `--group: '${variables.name[row]}' is not the only ${types.name[type]}` +
          (holder === undefined ? '' : `: ${types.name[holder]} holds one`),
        `order its fields instead: --reorder '${types.name[type]}: ...'`,
        2,
      );
  }
}
