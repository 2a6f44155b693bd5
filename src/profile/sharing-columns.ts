// Stage: replay -> profile. Sharing pairs by object and slot become pairs by name: both sides resolved to type, field,
// access site and allocation site, and pairs that read the same merged.

import { NO_INDEX } from '../base/ids.js';
import { zeroTable, type RowOf } from '../base/table-description.js';
import { OBJECT_COLUMNS, OBJECT_KINDS, RELATIONS, type ObjectTable, type ReplayResult } from '../contract/result.js';
import { listObjects } from '../replay/stored-objects.js';
import type { RowNames } from './row-names.js';
import { Rows } from './rows.js';
import { TABLES } from './tables.js';

type Side = RowOf<typeof TABLES.sharing.columns.missed>;

const keptRelations = new Set([RELATIONS.indexOf('same-object'), RELATIONS.indexOf('recycled')]);
const heap = OBJECT_KINDS.indexOf('heap');
const global = OBJECT_KINDS.indexOf('global');

export function buildSharing(result: ReplayResult, names: RowNames): Rows<typeof TABLES.sharing.columns> {
  const { objects, sharing } = pickObjects(result);
  const rows = new Rows(TABLES.sharing);
  rows.addResult(sharing, (row) => {
    const missed = resolveSide(objects, names, sharing.missSlot[row], sharing.missObject[row], sharing.missLeaf[row]);
    const writer = resolveSide(
      objects,
      names,
      sharing.writeSlot[row],
      sharing.writeObject[row],
      sharing.writeLeaf[row],
    );
    const relation = keptRelations.has(sharing.relation[row])
      ? sharing.relation[row]
      : RELATIONS.indexOf(missed.type === writer.type ? 'same-type' : 'two-types');
    return { class: sharing.class[row], relation, missed, writer };
  });
  return rows;
}

/**
 * If objects are not in memory: picks those that the pairs name, and numbers the pairs by their place among the picked.
 */
function pickObjects(result: ReplayResult): Pick<ReplayResult, 'objects' | 'sharing'> {
  const { sharing, storedObjects } = result;
  if (storedObjects === undefined) return result;
  const wanted = sortedObjects(sharing);
  if (wanted.length === 0) return result;
  const picked = zeroTable(OBJECT_COLUMNS, wanted.length);
  let next = 0;
  for (const {
    first,
    objects: { count, ...columns },
  } of listObjects(result)) {
    const begin = next;
    while (next < wanted.length && wanted[next] < first + count) next++;
    for (const [name, column] of Object.entries(columns)) {
      const into = picked[name as keyof typeof OBJECT_COLUMNS];
      for (let at = begin; at < next; at++) into[at] = column[wanted[at] - first];
    }
  }
  const place = new Map<number, number>();
  wanted.forEach((object, at) => place.set(object, at));
  const placeOf = (object: number): number => place.get(object) ?? NO_INDEX;
  return {
    objects: { count: wanted.length, ...picked },
    sharing: { ...sharing, missObject: sharing.missObject.map(placeOf), writeObject: sharing.writeObject.map(placeOf) },
  };
}

/** Each once. */
function sortedObjects({ missObject, writeObject }: ReplayResult['sharing']): Uint32Array {
  const all = new Uint32Array(missObject.length + writeObject.length);
  all.set(missObject);
  all.set(writeObject, missObject.length);
  all.sort();
  return all.filter((object, at) => object !== NO_INDEX && object !== all[at - 1]);
}

function resolveSide(objects: ObjectTable, names: RowNames, slot: number, object: number, leaf: number): Side {
  const { type, field } = names.access(slot, objects, object, leaf);
  const site = names.slotSite(slot);
  if (object === NO_INDEX)
    return { type, field, site, allocationSite: 0, allocationThread: NO_INDEX, variable: NO_INDEX };
  const isHeap = objects.kind[object] === heap;
  return {
    type,
    field,
    site,
    allocationSite: isHeap
      ? names.allocationSite(objects.callPath[object], objects.allocationSlot[object])
      : names.variableSite(objects.variable[object]),
    allocationThread: objects.kind[object] === global ? NO_INDEX : objects.thread[object],
    variable: isHeap ? NO_INDEX : names.variableName(objects.variable[object]),
  };
}
