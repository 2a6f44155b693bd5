// Stage: what-if. A catalog with types that are laid out anew: sizes, offsets of members, of accesses in their types,
// and all tables that follow from these.

import { NO_INDEX } from '../base/ids.js';
import type { Catalog, MemberTable } from '../contract/catalog.js';
import { OFFSET_UNKNOWN, SlotKind } from '../trace/layout.js';
import { buildLeafTable } from '../trace/leaf-table.js';
import { ObjectKind } from '../sim/sim-object.js';
import type { PlacedObjects } from './placed-objects.js';
import type { SurveyedObjects } from './survey-columns.js';
import {
  elementOf,
  isArray,
  isRecord,
  membersOf,
  placedMember,
  placedMembers,
  type NewLayout,
  type NewMember,
} from './layout-change.js';
import { fieldAt } from './field-at.js';
import { COLD, NOWHERE, typeLayout, type Part, type TypeLayout } from './type-layout.js';

/** Of each type that is laid out anew, where its bytes go. */
export function bytesOf(catalog: Catalog, layouts: ReadonlyMap<number, NewLayout>): Map<number, TypeLayout> {
  const { types, members, leaves } = catalog;
  return new Map(
    [...layouts].map(([type, { sizeBytes, cold }]) => {
      const oldBytes = types.sizeBytes[type];
      const at = new Int32Array(oldBytes).fill(NOWHERE);
      const parts = new Map<number, Part[]>();
      let newFlexible = NO_INDEX;
      const units: { from: number; to: number; sizeBytes: number }[] = [];
      const fill = (own: number, from: number, to: number): void => {
        const layout = layouts.get(own);
        for (const one of layout?.members ?? placedMembers(catalog, own))
          placeMember(one, from, to, layout?.narrow?.get(one.member));
      };
      /** `from`, `to`: where the struct begins. */
      const placeMember = ({ member, offsetBytes, bits }: NewMember, from: number, to: number, size?: number): void => {
        const [begin, newBegin] = [from + members.offsetBytes[member], to + offsetBytes];
        if (bits === 0 || members.bits[member] === 0) return place(members.type[member], begin, newBegin, size);
        const [before, after] = [bytesOfBits(members.bits[member]), bytesOfBits(bits)];
        for (let byte = 0; before.first + byte < before.end; byte++)
          at[begin + before.first + byte] = newBegin + Math.min(after.first + byte, after.end - 1);
        units.push({ from: begin, to: newBegin, sizeBytes: types.sizeBytes[members.type[member]] });
      };
      const place = (own: number, from: number, to: number, size = types.sizeBytes[own]): void => {
        const element = elementOf(catalog, own);
        if (size === 0 && isArray(catalog, own)) {
          if (from === leaves.flexibleFrom[type]) newFlexible = to;
          return;
        }
        if (!isRecord(catalog, element) || !holdsNew(catalog, layouts, element)) {
          for (let byte = 0; byte < size && from + byte < oldBytes; byte++) at[from + byte] = to + byte;
          return;
        }
        const [before, after] = [types.sizeBytes[element], layouts.get(element)?.sizeBytes ?? types.sizeBytes[element]];
        for (let index = 0; index * before < size; index++) {
          const [begin, newBegin] = [from + index * before, to + index * after];
          const part = { bytes: before, at: newBegin, newBytes: after };
          parts.set(begin, [...(parts.get(begin) ?? []), part]);
          fill(element, begin, newBegin);
        }
      };
      fill(type, 0, 0);
      for (const one of cold?.members ?? []) placeMember(one, 0, COLD);
      // A bit-field is loaded and stored with what is left of its unit, if no other field is there.
      for (const unit of units)
        for (let byte = 0; byte < unit.sizeBytes && unit.from + byte < oldBytes; byte++)
          if (at[unit.from + byte] === NOWHERE) at[unit.from + byte] = unit.to + byte;
      const flexible = [leaves.flexibleFrom[type], newFlexible] as const;
      const part = { coldBytes: cold?.sizeBytes, pointerAt: cold?.pointerAt, isPerThread: cold?.isPerThread };
      return [type, typeLayout(oldBytes, sizeBytes, at, parts, flexible, part)];
    }),
  );
}

/** Of a unit: the bytes that have some of the bits. */
function bytesOfBits(bits: number): { first: number; end: number } {
  const firstBit = bits >>> 16;
  return { first: firstBit >> 3, end: (firstBit + (bits & 0xffff) + 7) >> 3 };
}

function holdsNew(catalog: Catalog, layouts: ReadonlyMap<number, NewLayout>, type: number): boolean {
  return layouts.has(type) && membersOf(catalog, type).length > 0;
}

export function relayCatalog(
  catalog: Catalog,
  layouts: ReadonlyMap<number, NewLayout>,
  bytes: ReadonlyMap<number, TypeLayout>,
): Catalog {
  if (layouts.size === 0) return catalog;
  const { slots } = catalog;
  const sizeBytes = catalog.types.sizeBytes.slice();
  for (const [type, layout] of layouts) sizeBytes[type] = layout.sizeBytes;
  for (let type = 1; type < catalog.types.count; type++) {
    const layout = isArray(catalog, type) ? layouts.get(catalog.types.element[type]) : undefined;
    const before = catalog.types.sizeBytes[catalog.types.element[type]];
    if (layout && before > 0) sizeBytes[type] = (catalog.types.sizeBytes[type] / before) * layout.sizeBytes;
  }
  const { members, firstMember, memberCount } = relayMembers(catalog, layouts);
  const types = { ...catalog.types, sizeBytes, firstMember, memberCount };
  const offset = slots.offset.slice();
  for (let slot = 0; slot < slots.count; slot++) {
    const layout = bytes.get(slots.type[slot]);
    const before = offset[slot];
    if (layout === undefined || before === OFFSET_UNKNOWN) continue;
    const path = slots.path[slot];
    // The whole; or a block whose first element begins there.
    if (path === '' || slots.kind[slot] === SlotKind.site || slots.kind[slot] === SlotKind.object) continue;
    // What begins there may be a field, or a struct whose first field that is.
    const part = path === fieldAt(catalog.leaves, slots.type[slot], before) ? undefined : layout.parts.get(before)?.[0];
    if (part) offset[slot] = part.at;
    else if (before < layout.at.length && layout.at[before] >= COLD) offset[slot] = OFFSET_UNKNOWN;
    else if (before < layout.at.length && layout.at[before] !== NOWHERE) offset[slot] = layout.at[before];
    else if (before === layout.flexibleFrom) offset[slot] = layout.newFlexibleFrom;
  }
  return {
    ...catalog,
    types,
    members,
    slots: { ...slots, offset },
    leaves: buildLeafTable(types, members),
  };
}

/** Globals where they lie anew; variables as large as they are then. */
export function withPlacedVariables(catalog: Catalog, objects: SurveyedObjects, placed: PlacedObjects): Catalog {
  const address = catalog.globals.address.slice();
  const sizeBytes = catalog.variables.sizeBytes.slice();
  const rows = new Map<string, number[]>();
  catalog.globals.variable.forEach((variable, row) => {
    const key = `${variable} ${address[row]}`;
    rows.set(key, [...(rows.get(key) ?? []), row]);
  });
  for (let object = 0; object < objects.count; object++) {
    if (objects.kind[object] === ObjectKind.heap || Number.isNaN(placed.address[object])) continue;
    const variable = objects.variable[object];
    const layout = placed.layout[object];
    if (layout > 0 && variable > 0) sizeBytes[variable] = placed.layouts[layout - 1].newSize;
    if (objects.kind[object] !== ObjectKind.global) continue;
    for (const row of rows.get(`${variable} ${objects.address[object]}`) ?? [])
      address[row] = BigInt(placed.address[object]);
  }
  return {
    ...catalog,
    globals: { ...catalog.globals, address },
    variables: { ...catalog.variables, sizeBytes },
  };
}

/** Members of a type stand one behind the other in their order, so those in a new order are new rows. */
function relayMembers(
  catalog: Catalog,
  layouts: ReadonlyMap<number, NewLayout>,
): { members: MemberTable; firstMember: Uint32Array; memberCount: Catalog['types']['memberCount'] } {
  const { types, members } = catalog;
  const firstMember = types.firstMember.slice();
  const memberCount = types.memberCount.slice();
  const rows = Array.from({ length: members.count }, (_, member) => placedMember(catalog, member));
  for (const [type, layout] of layouts) {
    firstMember[type] = rows.length;
    memberCount[type] = layout.members.length;
    rows.push(...layout.members);
  }
  const numbers = (column: Uint32Array): Uint32Array => Uint32Array.from(rows, ({ member }) => column[member]);
  return {
    firstMember,
    memberCount,
    members: {
      count: rows.length,
      name: rows.map(({ member }) => members.name[member]),
      type: numbers(members.type),
      offsetBytes: Float64Array.from(rows, (row) => row.offsetBytes),
      flags: numbers(members.flags),
      bits: Uint32Array.from(rows, (row) => row.bits),
    },
  };
}
