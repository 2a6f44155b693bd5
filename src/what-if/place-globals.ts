// Stage: what-if. Globals one behind the other, as a linker puts them: in the order that they had, each at the next
// address that its alignment allows.

import { roundUp } from '../base/round-up.js';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { alignmentOf, ARRAY_BYTES } from './layout-change.js';
import type { ObjectLayout } from './object-layout.js';
import type { SurveyedObjects } from './survey-columns.js';

/** Globals that lie further apart are not of one section: what lies between is not known. */
const FAR = 4096;
const LINE_BYTES = 64;

/**
 * Writes to `addresses` and `cold`, by object number. Cold parts stand behind their variable. `groups`: rows of
 * variables that lie side by side, in this order, in lines of their own, where the first of them in memory was.
 */
export function placeGlobals(
  catalog: Catalog,
  objects: SurveyedObjects,
  layoutOf: (object: number) => ObjectLayout | null,
  alignOf: (object: number) => number,
  addresses: Float64Array,
  cold: Float64Array,
  groups: readonly (readonly number[])[] = [],
): void {
  const { address, sizeBytes, variable } = objects;
  const globals = Array.from({ length: objects.count }, (_, object) => object)
    .filter((object) => objects.kind[object] === ObjectKind.global)
    .sort((a, b) => address[a] - address[b] || a - b);
  const groupAt = groupsOf(globals, variable, groups);
  /** The end of the object, and of its cold part behind it. */
  const put = (object: number, at: number): number => {
    const layout = layoutOf(object);
    addresses[object] = at;
    const end = at + (layout?.newSize ?? sizeBytes[object]);
    if (layout === null || layout.coldSize === 0) return end;
    cold[object] = roundUp(end, ARRAY_BYTES);
    return cold[object] + layout.coldSize;
  };
  let [oldEnd, newEnd] = [0, 0];
  for (const object of globals) {
    const begin = address[object];
    const group = groupAt.get(object);
    if (group !== undefined) {
      if (group.length > 0) {
        let end = roundUp(begin - oldEnd >= FAR && begin >= newEnd ? begin : newEnd, LINE_BYTES);
        for (const one of group)
          end = put(
            one,
            roundUp(end, Math.max(alignmentOfVariable(catalog, variable[one], address[one]), alignOf(one))),
          );
        newEnd = roundUp(end, LINE_BYTES);
      }
      oldEnd = Math.max(oldEnd, begin + sizeBytes[object]);
      continue;
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

/** By object of a group: all of it in its order, for the one that stood first; none for the others. */
function groupsOf(
  globals: readonly number[],
  variable: Uint32Array,
  groups: readonly (readonly number[])[],
): Map<number, readonly number[]> {
  const found = new Map<number, readonly number[]>();
  for (const rows of groups) {
    const placeOf = (object: number): number => rows.indexOf(variable[object]);
    const own = globals.filter((object) => placeOf(object) >= 0);
    const sorted = [...own].sort((a, b) => placeOf(a) - placeOf(b));
    own.forEach((object, index) => found.set(object, index === 0 ? sorted : []));
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
