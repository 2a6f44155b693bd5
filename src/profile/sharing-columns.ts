// Stage: replay -> profile. Sharing pairs by object and slot become pairs by name: both sides resolved to type, field,
// access site and allocation site, and pairs that read the same merged.

import { NO_INDEX } from '../base/ids.js';
import { OBJECT_KINDS, type SharingColumns, type SharingSideColumns } from './profile.js';
import { RELATIONS, type ObjectTable, type ReplayResult } from '../replay/result.js';
import { listObjects } from '../replay/stored-objects.js';
import type { Renumber } from './profile-builder.js';
import type { RowNames } from './row-names.js';

export interface Side {
  readonly type: number;
  readonly field: number;
  readonly site: number;
  readonly allocationSite: number;
  readonly allocationThread: number;
  readonly variable: number;
}

export interface Pair {
  readonly class: number;
  readonly relation: number;
  readonly missed: Side;
  readonly writer: Side;
  misses: number;
}

const keptRelations = new Set([RELATIONS.indexOf('same-object'), RELATIONS.indexOf('recycled')]);
const heap = OBJECT_KINDS.indexOf('heap');
const global = OBJECT_KINDS.indexOf('global');

export function buildSharing(result: ReplayResult, names: RowNames): (renumber: Renumber) => SharingColumns {
  const { objects, sharing } = pickObjects(result);
  const pairs = new Map<string, Pair>();
  for (let row = 0; row < sharing.count; row++) {
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
    const key = [sharing.class[row], relation, ...Object.values(missed), ...Object.values(writer)].join(' ');
    const pair = pairs.get(key);
    if (pair === undefined)
      pairs.set(key, { class: sharing.class[row], relation, missed, writer, misses: sharing.misses[row] });
    else pair.misses += sharing.misses[row];
  }
  return (renumber) => freezePairs([...pairs.values()], renumber);
}

/** Of objects that are not in memory those that the pairs name, and pairs that name them by their place there. */
function pickObjects(result: ReplayResult): Pick<ReplayResult, 'objects' | 'sharing'> {
  const { sharing, storedObjects } = result;
  if (storedObjects === undefined) return result;
  const wanted = [...new Set([...sharing.missObject, ...sharing.writeObject])]
    .filter((object) => object !== NO_INDEX)
    .sort((a, b) => a - b);
  if (wanted.length === 0) return result;
  const picked: Record<string, number[]> = {};
  let next = 0;
  for (const {
    first,
    objects: { count, ...columns },
  } of listObjects(result)) {
    for (; next < wanted.length && wanted[next] < first + count; next++) {
      for (const [name, column] of Object.entries(columns)) (picked[name] ??= []).push(column[wanted[next] - first]);
    }
  }
  const place = new Map(wanted.map((object, at) => [object, at]));
  const placeOf = (object: number): number => place.get(object) ?? NO_INDEX;
  return {
    objects: { count: wanted.length, ...picked } as unknown as ObjectTable,
    sharing: { ...sharing, missObject: sharing.missObject.map(placeOf), writeObject: sharing.writeObject.map(placeOf) },
  };
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
      ? names.slotSite(objects.allocationSlot[object])
      : names.variableSite(objects.variable[object]),
    allocationThread: objects.kind[object] === global ? NO_INDEX : objects.thread[object],
    variable: isHeap ? NO_INDEX : names.variableName(objects.variable[object]),
  };
}

export function freezePairs(pairs: readonly Pair[], renumber: Renumber): SharingColumns {
  const renumberSide = (side: Side): Side => ({
    type: renumber.type(side.type),
    field: renumber.string(side.field),
    site: renumber.site(side.site),
    allocationSite: renumber.site(side.allocationSite),
    allocationThread: side.allocationThread,
    variable: renumber.string(side.variable),
  });
  const compareSides = (a: Side, b: Side): number =>
    a.type - b.type ||
    a.field - b.field ||
    a.site - b.site ||
    a.allocationSite - b.allocationSite ||
    a.allocationThread - b.allocationThread ||
    a.variable - b.variable;
  const sorted = pairs
    .map((pair) => ({ ...pair, missed: renumberSide(pair.missed), writer: renumberSide(pair.writer) }))
    .sort(
      (a, b) =>
        b.misses - a.misses ||
        compareSides(a.missed, b.missed) ||
        compareSides(a.writer, b.writer) ||
        a.class - b.class ||
        a.relation - b.relation,
    );
  const sideColumns = (pick: (pair: Pair) => Side): SharingSideColumns => ({
    type: Uint32Array.from(sorted, (pair) => pick(pair).type),
    field: Uint32Array.from(sorted, (pair) => pick(pair).field),
    site: Uint32Array.from(sorted, (pair) => pick(pair).site),
    allocationSite: Uint32Array.from(sorted, (pair) => pick(pair).allocationSite),
    allocationThread: Uint32Array.from(sorted, (pair) => pick(pair).allocationThread),
    variable: Uint32Array.from(sorted, (pair) => pick(pair).variable),
  });
  return {
    class: Uint8Array.from(sorted, (pair) => pair.class),
    relation: Uint8Array.from(sorted, (pair) => pair.relation),
    misses: Float64Array.from(sorted, (pair) => pair.misses),
    missed: sideColumns((pair) => pair.missed),
    writer: sideColumns((pair) => pair.writer),
  };
}
