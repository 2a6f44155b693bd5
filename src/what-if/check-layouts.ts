// Stage: what-if. Changes to types that dprof cannot follow, for where the types lie.

import { DprofError } from '../base/dprof-error.js';
import { formatBytes } from '../base/format-number.js';
import type { Catalog } from '../contract/catalog.js';
import { MemberFlag } from '../trace/layout.js';
import {
  elementOf,
  elementsOf,
  isArray,
  isUnion,
  membersOf,
  type NewLayout,
  type StructChange,
} from './layout-change.js';

/** What lies where is a table by byte. */
const MOST_BYTES = 2 ** 25;

/** `changed`: all types that are laid out anew, or may be. */
export function checkHolders(catalog: Catalog, changed: readonly number[]): void {
  const { name, sizeBytes } = catalog.types;
  const isChanged = new Set(changed);
  for (const holder of changed) {
    if (sizeBytes[holder] > MOST_BYTES)
      throw new DprofError(
        `${name[holder]} would be laid out anew, which is one struct of ${formatBytes(sizeBytes[holder])}; dprof ` +
          `does so up to ${formatBytes(MOST_BYTES)}`,
        'try the change on a run whose arrays are smaller',
        2,
      );
    const own = elementsOf(catalog, holder).find((type) => isChanged.has(type));
    if (own === undefined) continue;
    if (isUnion(catalog, holder) && elementsOf(catalog, holder).some((type) => type !== own && hasBytes(catalog, type)))
      throw new DprofError(
        `${name[own]} lies in ${name[holder] || 'a union'} beside other members: which one an access means is not ` +
          'known',
        'change a type that lies in no union',
        2,
      );
    const last = membersOf(catalog, holder).at(-1)!;
    const { type } = catalog.members;
    const isFlexible = isArray(catalog, type[last]) && sizeBytes[type[last]] === 0;
    if (isFlexible && isChanged.has(elementOf(catalog, type[last])))
      throw new DprofError(
        `${name[elementOf(catalog, type[last])]} is the flexible array of ${name[holder]}: dprof does not lay it out`,
        'change another type, or allocate the array by itself',
        2,
      );
  }
}

/** What stands for nothing in a union, as in std::optional, has one byte. */
function hasBytes({ types }: Catalog, type: number): boolean {
  return types.sizeBytes[type] > 1;
}

/**
 * Behind a base's last member may lie members of what derives from it: whether they do depends on its constructors.
 * `isPadded`: the last member is padding.
 */
export function checkBases(
  catalog: Catalog,
  type: number,
  found: ReadonlyMap<number, NewLayout>,
  isPadded: (base: number) => boolean,
): void {
  const { types, members } = catalog;
  const own = membersOf(catalog, type);
  for (const row of own) {
    const layout = found.get(members.type[row]);
    if ((members.flags[row] & MemberFlag.baseClass) === 0 || layout === undefined || own.length === 1) continue;
    if (isPadded(members.type[row]) || layout.members.length === 0) continue;
    const sizeOf = (member: number): number => {
      const element = elementOf(catalog, members.type[member]);
      const [before, after] = [types.sizeBytes[element], found.get(element)?.sizeBytes ?? types.sizeBytes[element]];
      return before === 0 ? 0 : (types.sizeBytes[members.type[member]] / before) * after;
    };
    const end = Math.max(...layout.members.map(({ member, offsetBytes }) => offsetBytes + sizeOf(member)));
    if (end < layout.sizeBytes)
      throw new DprofError(
        `${types.name[type]} derives from ${types.name[members.type[row]]}, behind whose last field its own may begin`,
        'write both as they are to be, and give them with --header FILE',
        2,
      );
  }
}

/** A type that is a member of another one has no part of its own elsewhere. */
export function checkSplits(
  catalog: Catalog,
  changes: ReadonlyMap<number, StructChange>,
  holders: readonly number[],
): void {
  const { types } = catalog;
  for (const { type, cold, perThread } of changes.values()) {
    if (cold === undefined && perThread === undefined) continue;
    const holder = holders.find((other) => elementsOf(catalog, other).includes(type));
    if (holder !== undefined)
      throw new DprofError(
        `--${cold ? 'split' : 'per-thread'}: ${types.name[type]} is a member of ${types.name[holder]}, which would ` +
          `hold ${cold ? 'its cold part' : "each thread's own"}`,
        cold
          ? `split ${types.name[holder]}, or put the fields that are used first: --reorder`
          : `name the field of ${types.name[holder]}`,
        2,
      );
  }
}
