// Stage: replay. The type of a reference: the rules of docs/replay/objects.md, "Types of references", and the fields of
// a declared type.

import { NO_INDEX } from '../base/ids.js';
import { PATH_LEAF, RULES, type TypingRule } from '../contract/result.js';
import { TYPE_KINDS, type Catalog } from '../contract/catalog.js';
import { ObjectKind, offsetIn, type SimObject } from './sim-object.js';

const FIRST_RECORD_KIND = TYPE_KINDS.indexOf('struct');
const LAST_RECORD_KIND = TYPE_KINDS.indexOf('class');

/** Index into RULES. */
export const Rule = Object.fromEntries(RULES.map((rule, index) => [rule, index])) as Readonly<
  Record<TypingRule, number>
>;

/** Whether the type is a struct, union or class. */
export function isRecordType({ types }: Catalog, type: number): boolean {
  return types.kind[type] >= FIRST_RECORD_KIND && types.kind[type] <= LAST_RECORD_KIND;
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
 * the type's table does not say.
 */
function leafAt(catalog: Catalog, object: SimObject, address: number): number {
  const { leaves } = catalog;
  const type = object.declared;
  const base = leaves.base[type];
  if (base === NO_INDEX) return NO_INDEX;
  const offset = offsetIn(catalog, object, address);
  if (offset < 0) return NO_INDEX;
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
