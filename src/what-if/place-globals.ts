// Stage: what-if. Globals one behind the other, as a linker puts them: in the order that they had, each at the next
// address that its alignment allows.

import { roundUp } from '../base/round-up.js';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { alignmentOf, ARRAY_BYTES } from './layout-change.js';
import type { ObjectLayout } from './object-layout.js';
import type { SurveyedObjects } from './survey-columns.js';
import type { GroupMember } from './variable-change.js';

/** Globals that lie further apart are not of one section: what lies between is not known. */
const FAR = 4096;
const LINE_BYTES = 64;

/**
 * Writes to `addresses` and `cold`, by object number. Cold parts stand behind their variable. `groups`: variables, or
 * cold parts of these, that lie side by side, in this order, in lines of their own, where the first of the variables in
 * memory was.
 */
export function placeGlobals(
  catalog: Catalog,
  objects: SurveyedObjects,
  layoutOf: (object: number) => ObjectLayout | null,
  alignOf: (object: number) => number,
  addresses: Float64Array,
  cold: Float64Array,
  groups: readonly (readonly GroupMember[])[] = [],
): void {
  const { address, sizeBytes, variable } = objects;
  const globals = Array.from({ length: objects.count }, (_, object) => object)
    .filter((object) => objects.kind[object] === ObjectKind.global)
    .sort((a, b) => address[a] - address[b] || a - b);
  const groupAt = groupsOf(globals, variable, groups);
  /** The end of the object, and of its cold part behind it, if that is in no group. */
  const put = (object: number, at: number): number => {
    const layout = layoutOf(object);
    addresses[object] = at;
    const end = at + (layout?.newSize ?? sizeBytes[object]);
    if (layout === null || layout.coldSize === 0 || groupAt.get(object)?.isWhole === false) return end;
    cold[object] = roundUp(end, ARRAY_BYTES);
    return cold[object] + layout.coldSize;
  };
  const putMember = ({ object, fields }: ObjectInGroup, from: number): number => {
    if (fields === null)
      return put(
        object,
        roundUp(from, Math.max(alignmentOfVariable(catalog, variable[object], address[object]), alignOf(object))),
      );
    cold[object] = roundUp(from, Math.max(...fields.map((row) => alignmentOf(catalog, catalog.members.type[row]))));
    return cold[object] + (layoutOf(object)?.coldSize ?? 0);
  };
  let [oldEnd, newEnd] = [0, 0];
  for (const object of globals) {
    const begin = address[object];
    const group = groupAt.get(object);
    if (group !== undefined) {
      if (group.members.length > 0) {
        const first = roundUp(begin - oldEnd >= FAR && begin >= newEnd ? begin : newEnd, LINE_BYTES);
        const end = group.members.reduce((from, member) => putMember(member, from), first);
        newEnd = roundUp(end, LINE_BYTES);
      }
      if (group.isWhole) {
        oldEnd = Math.max(oldEnd, begin + sizeBytes[object]);
        continue;
      }
    }
    const own = alignmentOfVariable(catalog, variable[object], begin);
    const aligned = alignmentThat(own, oldEnd, begin);
    const from = aligned === null ? begin + newEnd - oldEnd : newEnd;
    const end = put(
      object,
      begin - oldEnd >= FAR && begin >= newEnd
        ? roundUp(begin, alignOf(object))
        : roundUp(from, Math.max(alignOf(object), aligned ?? own)),
    );
    oldEnd = Math.max(oldEnd, begin + sizeBytes[object]);
    // What is aligned to lines has them for itself.
    newEnd = Math.max(newEnd, roundUp(end, Math.min(alignOf(object), LINE_BYTES)));
  }
}

/** The object of a variable; null: all of it, else these fields. */
interface ObjectInGroup {
  readonly object: number;
  readonly fields: readonly number[] | null;
}

interface OwnGroup {
  /** In their order, for the object that stood first; none for the others. */
  readonly members: readonly ObjectInGroup[];
  /** All of the object lies there. */
  readonly isWhole: boolean;
}

/** By object of a group. */
function groupsOf(
  globals: readonly number[],
  variable: Uint32Array,
  groups: readonly (readonly GroupMember[])[],
): Map<number, OwnGroup> {
  const found = new Map<number, OwnGroup>();
  for (const group of groups) {
    const placeOf = (object: number): number => group.findIndex(({ row }) => row === variable[object]);
    const own = globals.filter((object) => placeOf(object) >= 0);
    const members = own
      .map((object) => ({ object, fields: group[placeOf(object)].fields }))
      .sort((a, b) => placeOf(a.object) - placeOf(b.object));
    for (const [index, object] of own.entries())
      found.set(object, { members: index === 0 ? members : [], isWhole: group[placeOf(object)].fields === null });
  }
  return found;
}

/**
 * The smallest alignment, from the variable's own on, with which the next address behind `end` is this one: a section
 * may have a larger one.
 */
function alignmentThat(own: number, end: number, address: number): number | null {
  for (let align = own; align <= FAR; align *= 2) if (roundUp(end, align) === address) return align;
  return null;
}

/** As the compiler chose it; in traces that do not say it, that of the type, if the variable's address has it. */
function alignmentOfVariable(catalog: Catalog, variable: number, address: number): number {
  const { alignment, type } = catalog.variables;
  let align = alignment[variable] > 0 ? 2 ** (alignment[variable] - 1) : alignmentOf(catalog, type[variable]);
  while (address % align !== 0) align /= 2;
  return align;
}
