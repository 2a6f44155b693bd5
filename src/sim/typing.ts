// Stage: replay. The type of a reference: the rules of docs/replay/objects.md, "Types of references", and the fields of
// a declared type.

import { NO_INDEX } from '../base/ids.js';
import { PATH_LEAF, RULES, type TypingRule } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import {
  closedBytes,
  holdsMore,
  isBesideVote,
  isRecordType,
  Memory,
  memoryOf,
  PAGE_BYTES,
} from '../contract/memory-types.js';
import { ObjectKind, offsetIn, type SimObject } from './sim-object.js';

/** Index into RULES. */
export const Rule = Object.fromEntries(RULES.map((rule, index) => [rule, index])) as Readonly<
  Record<TypingRule, number>
>;

/** An object whose declared type says only that it is memory: a struct that an access names outranks it. */
export function isMemory(catalog: Catalog, { declared, kind }: SimObject): boolean {
  return (memoryOf(catalog, declared) & (kind === ObjectKind.heap ? Memory.heap : Memory.variable)) !== 0;
}

/** Its end decides whether the rest of it is a pool. */
function mayBePool(catalog: Catalog, { declared, kind, sizeBytes }: SimObject): boolean {
  if (kind !== ObjectKind.heap || sizeBytes <= PAGE_BYTES) return false;
  return declared === 0 || (memoryOf(catalog, declared) & Memory.bytes) !== 0;
}

/** Its votes are complete: whether it is a pool. */
export function isPool(catalog: Catalog, object: SimObject): boolean {
  return mayBePool(catalog, object) && (object.votes?.size ?? 0) > 1;
}

/** A heap object that holds more than its declared struct, and is no array of it. */
function isMoreThanDeclared(catalog: Catalog, object: SimObject): boolean {
  const { declared, kind, sizeBytes } = object;
  if (kind !== ObjectKind.heap || !isRecordType(catalog, declared)) return false;
  return holdsMore(catalog, declared, sizeBytes + offsetIn(catalog, object, object.address));
}

/** Its votes are complete: whether accesses may name structs in it that its own type does not tell of. */
export function holdsOthers(catalog: Catalog, object: SimObject): boolean {
  return isMemory(catalog, object) || isMoreThanDeclared(catalog, object) || isPool(catalog, object);
}

/** A byte of a heap object outside its declared struct, where what it holds is no array of that. */
export function isBehind(catalog: Catalog, object: SimObject, address: number): boolean {
  if (!isMoreThanDeclared(catalog, object)) return false;
  const offset = offsetIn(catalog, object, address);
  return offset < 0 || offset >= closedBytes(catalog, object.declared);
}

/** The rule of a reference; null: the object's end decides it. */
export function ruleOf(catalog: Catalog, slot: number, object: SimObject | null, address: number): number | null {
  const namesStruct = isRecordType(catalog, catalog.slots.type[slot]);
  if (object === null || object.declared === 0)
    return object === null || object.kind === ObjectKind.global || namesStruct ? ruleOfSlot(catalog, slot) : null;
  if (isMemory(catalog, object)) {
    if (namesStruct) return Rule.descriptor;
    return mayBePool(catalog, object) ? null : Rule.object;
  }
  if (!isBehind(catalog, object, address)) return Rule.object;
  return namesStruct ? Rule.descriptor : Rule.behind;
}

/** The rule of references that name no struct, to an object that got this vote. */
export function ruleOfVote(catalog: Catalog, { kind, sizeBytes }: SimObject, vote: number): number {
  return isBesideVote(catalog, { isHeap: kind === ObjectKind.heap, sizeBytes }, vote) ? Rule.beside : Rule.vote;
}

/** The rule of a reference that neither the object's type nor its vote decides. */
export function ruleOfSlot(catalog: Catalog, slot: number): number {
  const { variable, type } = catalog.slots;
  if (isRecordType(catalog, type[slot])) return Rule.descriptor;
  return variable[slot] !== 0 ? Rule.variable : type[slot] !== 0 ? Rule.scalar : Rule.untyped;
}

/**
 * The field of a reference to an object with a declared type, as TallyTable has it. Of a struct, union or class: the
 * slot's own path if it names a field of that type, else the leaf at the address. Of another type: the variable, or how
 * the heap object was allocated.
 */
export function fieldOf(catalog: Catalog, slot: number, object: SimObject, address: number): number {
  const { slots, declared } = catalog;
  const isNamedBySlot = slots.path[slot] !== '' && declared[slots.type[slot]] === object.declared;
  const isRecord = isRecordType(catalog, object.declared);
  if (isNamedBySlot && isRecord) return NO_INDEX;
  if (!isRecord && object.kind === ObjectKind.heap) return PATH_LEAF + object.callPath;
  return leafOfByte(catalog, object, address);
}

/** The leaf of a byte: in a declared struct, union or class its own; else the object's variable, none for heap. */
export function leafOfByte(catalog: Catalog, object: SimObject | null, address: number): number {
  if (object === null) return NO_INDEX;
  if (isRecordType(catalog, object.declared)) return leafAt(catalog, object, address);
  return object.kind === ObjectKind.heap ? NO_INDEX : object.variable;
}

/**
 * The leaf at (offset in the object) modulo the type's size, where nothing wraps from a flexible array on. NO_INDEX if
 * the type's table does not say, or the byte lies behind the struct.
 */
function leafAt(catalog: Catalog, object: SimObject, address: number): number {
  const { leaves } = catalog;
  const type = object.declared;
  const base = leaves.base[type];
  if (base === NO_INDEX) return NO_INDEX;
  const offset = offsetIn(catalog, object, address);
  if (offset < 0 || isBehind(catalog, object, address)) return NO_INDEX;
  if (offset >= leaves.flexibleFrom[type] && leaves.flexibleFrom[type] !== NO_INDEX) return leaves.flexibleLeaf[type];
  return leaves.leafAt[base + (offset % leaves.span[type])];
}

/** The outcome of a vote: the struct with most references; ties: the smaller name, then the smaller id. 0 if none. */
export function winnerOf({ types: { name } }: Catalog, votes: ReadonlyMap<number, number>): number {
  let winner = 0;
  let most = 0;
  for (const [type, count] of votes) {
    const isSmaller = name[type] < name[winner] || (name[type] === name[winner] && type < winner);
    if (count > most || (count === most && isSmaller)) {
      winner = type;
      most = count;
    }
  }
  return winner;
}
