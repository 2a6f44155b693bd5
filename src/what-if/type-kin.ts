// Stage: catalog -> what-if. Which structs lie in others: as a member, or as a head, the fields that both begin with.
// A program that casts between the two accesses one block by both names.

import { OFFSET_UNKNOWN } from '../trace/layout.js';
import type { Catalog } from '../contract/catalog.js';
import { elementOf, isArray, isRecord, isUnion, membersOf } from './layout-change.js';

/** Rows, of types that accesses name: `part` lies in `whole` at so many bytes. */
export interface TypeKin {
  readonly whole: Uint32Array;
  readonly part: Uint32Array;
  readonly at: Uint32Array;
}

/** Of the elements of a member array: the first ones. */
const MOST_ELEMENTS = 64;
/** Of all that lies in a type, arrays in arrays included: those that lie least deep. */
const MOST_PARTS = 4096;

const known = new WeakMap<Catalog, TypeKin>();

export function kinOf(catalog: Catalog): TypeKin {
  const own = known.get(catalog) ?? findKin(catalog);
  known.set(catalog, own);
  return own;
}

function findKin(catalog: Catalog): TypeKin {
  const used = [...new Set(catalog.slots.type)].filter((type) => isRecord(catalog, type)).sort((a, b) => a - b);
  const isUsed = new Set(used);
  const rows: (readonly [number, number, number])[] = [];
  const byFirst = new Map<string, number[]>();
  for (const type of used) {
    const first = firstOf(catalog, type);
    byFirst.set(first, [...(byFirst.get(first) ?? []), type]);
  }
  for (const whole of used) {
    const found = membersWithin(catalog, whole);
    for (const part of byFirst.get(firstOf(catalog, whole)) ?? [])
      if (part !== whole && isHead(catalog, whole, part)) found.set(`${part} 0`, [part, 0]);
    for (const [part, at] of found.values()) if (isUsed.has(part)) rows.push([whole, part, at]);
  }
  return {
    whole: Uint32Array.from(rows, ([whole]) => whole),
    part: Uint32Array.from(rows, ([, part]) => part),
    at: Uint32Array.from(rows, ([, , at]) => at),
  };
}

function firstOf({ types, members }: Catalog, type: number): string {
  const row = types.firstMember[type];
  return types.memberCount[type] === 0 ? '' : `${members.name[row]} ${members.type[row]}`;
}

/** What lies least deep comes first. */
function membersWithin(catalog: Catalog, whole: number): Map<string, readonly [number, number]> {
  const { members, types } = catalog;
  const found = new Map<string, readonly [number, number]>();
  let [deep, deeper]: (readonly [number, number])[][] = [[[whole, 0]], []];
  for (; deep.length > 0; [deep, deeper] = [deeper, []])
    for (const [type, from] of deep)
      for (const row of membersOf(catalog, type)) {
        const part = elementOf(catalog, members.type[row]);
        if (!isRecord(catalog, part) || types.sizeBytes[part] === 0) continue;
        const count = isArray(catalog, members.type[row])
          ? Math.min(MOST_ELEMENTS, Math.floor(types.sizeBytes[members.type[row]] / types.sizeBytes[part]))
          : 1;
        for (let element = 0; element < count; element++) {
          if (found.size >= MOST_PARTS) return found;
          const at = from + members.offsetBytes[row] + element * types.sizeBytes[part];
          const key = `${part} ${at}`;
          if (!found.has(key)) deeper.push([part, at]);
          found.set(key, [part, at]);
        }
      }
  return found;
}

/** Whether all fields of `part` are the first ones of `whole`, a larger one, by name, type and place. */
function isHead(catalog: Catalog, whole: number, part: number): boolean {
  const { types, members } = catalog;
  const [own, others] = [membersOf(catalog, part), membersOf(catalog, whole)];
  return (
    !isUnion(catalog, whole) &&
    !isUnion(catalog, part) &&
    own.length < others.length &&
    types.sizeBytes[part] <= types.sizeBytes[whole] &&
    own.every(
      (row, index) =>
        members.name[row] === members.name[others[index]] &&
        members.type[row] === members.type[others[index]] &&
        members.offsetBytes[row] === members.offsetBytes[others[index]],
    )
  );
}

/** So many of the type's first fields stay first: another type that accesses name begins with them, or is the first. */
export function headOf(catalog: Catalog, type: number): number {
  const { whole, part, at } = kinOf(catalog);
  const { types, members } = catalog;
  let most = 0;
  whole.forEach((one, row) => {
    if (one !== type || at[row] !== 0) return;
    const isFirst = types.memberCount[type] > 0 && members.type[types.firstMember[type]] === part[row];
    if (isFirst) most = Math.max(most, 1);
    else if (isHead(catalog, type, part[row])) most = Math.max(most, types.memberCount[part[row]]);
  });
  return most;
}

export type Holds = (whole: number, part: number, at: number) => boolean;

export function holdsOf(catalog: Catalog): Holds {
  const { whole, part, at } = kinOf(catalog);
  const rows = new Set(Array.from(whole, (one, row) => `${one} ${part[row]} ${at[row]}`));
  return (one, other, bytes) => bytes !== OFFSET_UNKNOWN && rows.has(`${one} ${other} ${bytes}`);
}
