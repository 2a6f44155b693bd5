// Stage: trace -> replay. Which declared types say what an object holds, and which say only that it is memory.
// docs/replay/objects.md, "Memory and pools".

import { TYPE_KINDS, type Catalog } from './catalog.js';

const STRUCT = TYPE_KINDS.indexOf('struct');
const CLASS = TYPE_KINDS.indexOf('class');
const ARRAY = TYPE_KINDS.indexOf('array');
const NO_OFFSET = 0xffffffff;

/** An object over a page in which accesses name several structs is a pool. */
export const PAGE_BYTES = 4096;

export type Types = Pick<Catalog, 'types'>;

/** Whether the type is a struct, union or class. */
export function isRecordType({ types }: Types, type: number): boolean {
  return types.kind[type] >= STRUCT && types.kind[type] <= CLASS;
}

/** What a declared type says of an object of which it is the type. */
export const Memory = { variable: 1, heap: 2, bytes: 4 } as const;

/**
 * Bits of Memory. variable, heap: a variable, or a heap object, of that type is memory: an array of no structs, on the
 * heap one element of it too. bytes: its elements have one byte.
 */
export function memoryOf({ types }: Types, type: number): number {
  if (type === 0 || isRecordType({ types }, type)) return 0;
  const isArray = types.kind[type] === ARRAY;
  const element = isArray ? types.element[type] : type;
  return (isArray ? Memory.variable : 0) | Memory.heap | (types.sizeBytes[element] === 1 ? Memory.bytes : 0);
}

/** What names no struct is beside the voted one in objects of at least so many times its size; else it is in it. */
const BESIDE_TIMES = 8;

/** Bytes of a struct whose fields and end are known; 0: not known, or it ends in a flexible array. */
export function closedBytes({ leaves }: Pick<Catalog, 'leaves'>, type: number): number {
  return leaves.base[type] === NO_OFFSET || leaves.flexibleFrom[type] !== NO_OFFSET ? 0 : leaves.span[type];
}

/** Whether so many bytes, of a struct's beginning on, hold something behind it that is no array of it. */
export function holdsMore(catalog: Pick<Catalog, 'leaves'>, type: number, bytes: number): boolean {
  const own = closedBytes(catalog, type);
  return own !== 0 && bytes > own && bytes % own !== 0;
}

/**
 * Whether what names no struct, in an object that got this vote, is beside the struct: the object is on the heap, has
 * at least eight times the struct's size, and is no array of it, so the struct may lie anywhere in it.
 */
export function isBesideVote(
  catalog: Pick<Catalog, 'leaves'>,
  { isHeap, sizeBytes }: { readonly isHeap: boolean; readonly sizeBytes: number },
  vote: number,
): boolean {
  return isHeap && sizeBytes >= BESIDE_TIMES * closedBytes(catalog, vote) && holdsMore(catalog, vote, sizeBytes);
}
