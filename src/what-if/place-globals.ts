// Stage: what-if. Globals one behind the other, as a linker puts them: in the order that they had, each at the next
// address that its alignment allows.

import type { Catalog } from '../contract/catalog.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { elementOf, isArray, isRecord, membersOf, type NewLayout } from './layout-change.js';
import type { ObjectLayout } from './object-layout.js';

/** Globals that lie further apart are not of one section: what lies between is not known. */
const FAR = 4096;
/** The x86-64 ABI aligns arrays that are this large, to as much. */
const ARRAY_BYTES = 16;

/** Writes to `addresses`, by object number. */
export function placeGlobals(
  catalog: Catalog,
  objects: readonly SimObject[],
  newLayouts: readonly (ObjectLayout | null)[],
  layouts: ReadonlyMap<number, NewLayout>,
  addresses: Float64Array,
): void {
  const globals = objects
    .filter(({ kind }) => kind === ObjectKind.global)
    .sort((a, b) => a.address - b.address || a.number - b.number);
  let [oldEnd, newEnd] = [0, 0];
  for (const { number, address, sizeBytes, declared, variable } of globals) {
    const size = newLayouts[number]?.newSize ?? sizeBytes;
    const own = alignmentOf(catalog, catalog.variables.type[variable]);
    const aligned = alignmentThat(own, oldEnd, address);
    const from = aligned === null ? address + newEnd - oldEnd : newEnd;
    const align = Math.max(layouts.get(declared)?.align ?? 1, aligned ?? own);
    addresses[number] =
      address - oldEnd >= FAR && address >= newEnd
        ? roundUp(address, layouts.get(declared)?.align ?? 1)
        : roundUp(from, align);
    oldEnd = Math.max(oldEnd, address + sizeBytes);
    newEnd = Math.max(newEnd, addresses[number] + size);
  }
}

/** The smallest alignment, from the type's own on, with which the next address behind `end` is this one. */
function alignmentThat(own: number, end: number, address: number): number | null {
  for (let align = own; align <= FAR; align *= 2) if (roundUp(end, align) === address) return align;
  return null;
}

function roundUp(address: number, align: number): number {
  return Math.ceil(address / align) * align;
}

/** Of a variable of the type: that of its largest scalar. */
function alignmentOf(catalog: Catalog, type: number): number {
  const { types, members } = catalog;
  if (isArray(catalog, type))
    return Math.max(
      types.sizeBytes[type] >= ARRAY_BYTES ? ARRAY_BYTES : 1,
      alignmentOf(catalog, elementOf(catalog, type)),
    );
  if (isRecord(catalog, type))
    return membersOf(catalog, type).reduce(
      (most, member) => Math.max(most, alignmentOf(catalog, members.type[member])),
      1,
    );
  const size = types.sizeBytes[type];
  return [16, 8, 4, 2].find((bytes) => size % bytes === 0 && size > 0) ?? 1;
}
