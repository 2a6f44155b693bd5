// Stage: trace -> replay. The types of a catalog to their leaves: which field lies at each byte offset of a struct, for
// references whose own descriptor does not name the field. Paths are spelled as the plugin spells them: "lock.owner",
// "slots[].key"; a base class's members as the outer's.

import { NO_INDEX } from '../base/ids.js';
import { MemberFlag } from './layout.js';
import { TYPE_KINDS, type LeafTable, type MemberTable, type TypeTable } from '../contract/catalog.js';

const STRUCT = TYPE_KINDS.indexOf('struct');
const UNION = TYPE_KINDS.indexOf('union');
const CLASS = TYPE_KINDS.indexOf('class');
const ARRAY = TYPE_KINDS.indexOf('array');

/**
 * Larger types get no table: nobody reads a report of a megabyte struct by byte offset, and a hostile size must not
 * cost memory.
 */
const MAX_SPAN = 1 << 20;
const MAX_TOTAL_SPAN = 1 << 24;
const MAX_LEAVES = 0xffff;
const MAX_DEPTH = 16;

export const PADDING = '(padding)';
/** All of a union that has no name as a member. */
export const UNION_LEAF = '(union)';

interface Growing {
  leafAt: Uint16Array;
  paths: string[];
  flexibleFrom: number;
  flexibleLeaf: number;
  /** Rows written so far: what bounds a hostile type that nests itself. */
  budget: number;
}

export function buildLeafTable(types: TypeTable, members: MemberTable): LeafTable {
  const base = new Uint32Array(types.count).fill(NO_INDEX);
  const span = new Uint32Array(types.count);
  const flexibleFrom = new Uint32Array(types.count).fill(NO_INDEX);
  const flexibleLeaf = new Uint32Array(types.count).fill(NO_INDEX);
  const path: string[][] = [];
  const tables: Uint16Array[] = [];
  let total = 0;
  for (let type = 0; type < types.count; type++) {
    path.push([]);
    const size = types.sizeBytes[type];
    if (
      !isRecord(types.kind[type]) ||
      types.memberCount[type] === 0 ||
      size === 0 ||
      size > MAX_SPAN ||
      total + size > MAX_TOTAL_SPAN
    )
      continue;
    const growing: Growing = {
      leafAt: new Uint16Array(size),
      paths: [PADDING],
      flexibleFrom: NO_INDEX,
      flexibleLeaf: NO_INDEX,
      budget: 4 * MAX_LEAVES,
    };
    if (types.kind[type] === UNION) growing.leafAt.fill(addLeaf(growing, UNION_LEAF));
    else fillRecord(types, members, growing, type, 0, '', 0, true);
    base[type] = total;
    span[type] = size;
    flexibleFrom[type] = growing.flexibleFrom;
    flexibleLeaf[type] = growing.flexibleLeaf;
    path[type] = growing.paths;
    tables.push(growing.leafAt);
    total += size;
  }
  const leafAt = new Uint16Array(total);
  let at = 0;
  for (const table of tables) {
    leafAt.set(table, at);
    at += table.length;
  }
  return { base, span, flexibleFrom, flexibleLeaf, leafAt, path };
}

function isRecord(kind: number): boolean {
  return kind === STRUCT || kind === UNION || kind === CLASS;
}

function addLeaf(growing: Growing, path: string): number {
  if (growing.paths.length >= MAX_LEAVES) return 0;
  return growing.paths.push(path) - 1;
}

function fillRecord(
  types: TypeTable,
  members: MemberTable,
  growing: Growing,
  type: number,
  offset: number,
  prefix: string,
  depth: number,
  isOutermostEnd: boolean,
): void {
  const first = types.firstMember[type];
  const count = types.memberCount[type];
  for (let index = 0; index < count; index++) {
    if (growing.budget-- <= 0) return;
    const member = first + index;
    const isBase = (members.flags[member] & MemberFlag.baseClass) !== 0;
    const name = isBase ? '' : members.name[member];
    const path = name === '' ? prefix : prefix === '' ? name : `${prefix}.${name}`;
    const isLast = isOutermostEnd && index === count - 1;
    fillMember(
      types,
      members,
      growing,
      members.type[member],
      offset + members.offsetBytes[member],
      path,
      depth + 1,
      isLast,
      (members.flags[member] & MemberFlag.bitField) !== 0,
    );
  }
}

function fillMember(
  types: TypeTable,
  members: MemberTable,
  growing: Growing,
  type: number,
  offset: number,
  path: string,
  depth: number,
  isLast: boolean,
  isBitField: boolean,
): void {
  const kind = types.kind[type];
  if (kind === STRUCT || kind === CLASS) {
    if (depth < MAX_DEPTH && types.memberCount[type] > 0)
      fillRecord(types, members, growing, type, offset, path, depth, isLast);
    // An empty base, or member without an address of its own, lies over others: theirs are the bytes, wherever it
    // stands among them.
    else if (types.sizeBytes[type] > 0) fillFreeBytes(growing, offset, types.sizeBytes[type], addLeaf(growing, path));
    return;
  }
  if (kind === ARRAY) {
    fillArray(types, members, growing, type, offset, `${path}[]`, depth, isLast);
    return;
  }
  const leaf = addLeaf(growing, path === '' ? UNION_LEAF : path);
  // Bit-fields that share a storage unit: the byte goes to the first.
  if (isBitField && offset < growing.leafAt.length && growing.leafAt[offset] !== 0) return;
  fillBytes(growing, offset, types.sizeBytes[type], leaf);
}

function fillArray(
  types: TypeTable,
  members: MemberTable,
  growing: Growing,
  array: number,
  offset: number,
  path: string,
  depth: number,
  isLast: boolean,
): void {
  const element = types.element[array];
  const size = types.sizeBytes[array];
  if (size === 0) {
    if (!isLast) return;
    growing.flexibleFrom = offset;
    growing.flexibleLeaf = addLeaf(growing, path);
    return;
  }
  const elementSize = types.sizeBytes[element];
  const isNested =
    (types.kind[element] === STRUCT || types.kind[element] === CLASS) &&
    types.memberCount[element] > 0 &&
    elementSize > 0;
  if (!isNested || depth >= MAX_DEPTH) {
    fillBytes(growing, offset, size, addLeaf(growing, path));
    return;
  }
  fillRecord(types, members, growing, element, offset, path, depth, false);
  const end = Math.min(offset + size, growing.leafAt.length);
  for (let at = offset + elementSize; at < end; at += elementSize) {
    growing.leafAt.copyWithin(at, offset, offset + Math.min(elementSize, end - at));
  }
}

function fillFreeBytes(growing: Growing, offset: number, bytes: number, leaf: number): void {
  const end = Math.min(offset + bytes, growing.leafAt.length);
  for (let at = offset; at < end; at++) if (growing.leafAt[at] === 0) growing.leafAt[at] = leaf;
}

function fillBytes(growing: Growing, offset: number, bytes: number, leaf: number): void {
  growing.leafAt.fill(leaf, offset, Math.min(offset + bytes, growing.leafAt.length));
}
