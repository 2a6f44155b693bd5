// Stage: what-if. What is asked to be laid out otherwise, after the command line's words have been understood.

import type { Catalog } from '../contract/catalog.js';
import { TYPE_KINDS } from '../contract/catalog.js';

export interface StructChange {
  /** TypeId of a struct or class. */
  readonly type: number;
  /** Rows of the catalog's members, in their new order; undefined: as before. */
  readonly order?: readonly number[];
  /** Bytes, a power of two; undefined: as before. */
  readonly align?: number;
  /** By row of the catalog's members. */
  readonly memberAlign?: ReadonlyMap<number, number>;
  /** Bytes behind the last member. */
  readonly pad?: number;
  /** Members that go to a part of their own. */
  readonly cold?: ReadonlySet<number>;
  /** Members of which each thread has its own. */
  readonly perThread?: ReadonlySet<number>;
  /** Bytes of scalar members. */
  readonly narrow?: ReadonlyMap<number, number>;
}

/** A type as it is laid out anew. */
export interface NewLayout {
  readonly sizeBytes: number;
  readonly align?: number;
  /** All members of the type but those of the cold part, in their new order. */
  readonly members: readonly NewMember[];
  readonly cold?: ColdPart;
  /** As in StructChange. */
  readonly narrow?: ReadonlyMap<number, number>;
}

/** Each object has one, or each element of an array: these are an array, too. */
export interface ColdPart {
  readonly sizeBytes: number;
  readonly members: readonly NewMember[];
  /** The offset in the type of the pointer to it; undefined: none is needed, as all objects are arrays. */
  readonly pointerAt?: number;
  /** Each thread has one, of the size and offsets of the type. */
  readonly isPerThread?: boolean;
}

export interface NewMember {
  /** Row of the catalog's members. */
  readonly member: number;
  readonly offsetBytes: number;
  /** As in the catalog's members. */
  readonly bits: number;
}

const RECORDS: readonly number[] = (['struct', 'union', 'class'] as const).map((kind) => TYPE_KINDS.indexOf(kind));
const UNION = TYPE_KINDS.indexOf('union');
const ARRAY = TYPE_KINDS.indexOf('array');
const SCALAR = TYPE_KINDS.indexOf('scalar');

export function isRecord({ types }: Catalog, type: number): boolean {
  return RECORDS.includes(types.kind[type]);
}

export function isUnion({ types }: Catalog, type: number): boolean {
  return types.kind[type] === UNION;
}

export function isArray({ types }: Catalog, type: number): boolean {
  return types.kind[type] === ARRAY;
}

export function isScalar({ types }: Catalog, type: number): boolean {
  return types.kind[type] === SCALAR;
}

/** Rows of the type's members. */
export function membersOf({ types }: Catalog, type: number): number[] {
  return Array.from({ length: types.memberCount[type] }, (_, index) => types.firstMember[type] + index);
}

/** The type's members where they are. */
export function placedMembers(catalog: Catalog, type: number): NewMember[] {
  return membersOf(catalog, type).map((member) => placedMember(catalog, member));
}

export function placedMember({ members }: Catalog, member: number): NewMember {
  return { member, offsetBytes: members.offsetBytes[member], bits: members.bits[member] };
}

/** The type, or that of an array's elements. */
export function elementOf(catalog: Catalog, type: number): number {
  return isArray(catalog, type) ? catalog.types.element[type] : type;
}

/** Types of its members; of arrays those of their elements. */
export function elementsOf(catalog: Catalog, type: number): number[] {
  return membersOf(catalog, type).map((row) => elementOf(catalog, catalog.members.type[row]));
}

/** The types, and all structs and classes that hold one of them as a member; what is inside stands before. */
export function withHolders(catalog: Catalog, changed: Iterable<number>): number[] {
  const { types, members } = catalog;
  const affected = new Set(changed);
  const order: number[] = [];
  const state = new Uint8Array(types.count);
  const visit = (type: number): boolean => {
    if (!isRecord(catalog, type)) return false;
    if (state[type] !== 0) return affected.has(type);
    state[type] = 1;
    for (const member of membersOf(catalog, type))
      if (visit(elementOf(catalog, members.type[member]))) affected.add(type);
    if (affected.has(type)) order.push(type);
    return affected.has(type);
  };
  for (let type = 1; type < types.count; type++) visit(type);
  return order;
}

/** The x86-64 ABI aligns arrays that are this large, to as much. */
export const ARRAY_BYTES = 16;

/** Of a variable of the type: that of its largest scalar. */
export function alignmentOf(catalog: Catalog, type: number): number {
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
