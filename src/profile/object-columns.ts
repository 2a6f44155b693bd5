// Stage: replay -> profile. The engine's object columns with catalog rows replaced by the profile's types, sites and names.

import { OBJECT_KINDS, type ObjectColumns, type ObjectCounterColumns } from './profile.js';
import { CALL_PATH_FRAMES, type CallPathTable, type ObjectCounterTable, type ObjectTable } from '../replay/result.js';
import type { Renumber } from './profile-builder.js';
import type { RowNames } from './row-names.js';

const heap = OBJECT_KINDS.indexOf('heap');

export function buildObjects(objects: ObjectTable, callPaths: CallPathTable, names: RowNames): (renumber: Renumber) => ObjectColumns {
  const { count } = objects;
  const type = new Uint32Array(count);
  const site = new Uint32Array(count);
  const variable = new Uint32Array(count);
  const freeSite = new Uint32Array(count);
  const pathNames = Uint32Array.from({ length: callPaths.count }, (_, row) =>
    names.functionPath(callPaths.function.subarray(row * CALL_PATH_FRAMES, (row + 1) * CALL_PATH_FRAMES)),
  );
  const callPath = objects.callPath.map((path) => pathNames[path]);
  for (let object = 0; object < count; object++) {
    const isHeap = objects.kind[object] === heap;
    type[object] = names.objectType(objects, object);
    site[object] = isHeap ? names.slotSite(objects.allocationSlot[object]) : names.variableSite(objects.variable[object]);
    variable[object] = names.variableName(isHeap ? 0 : objects.variable[object]);
    freeSite[object] = names.slotSite(objects.freeSlot[object]);
  }
  return (renumber) => ({
    address: objects.address,
    sizeBytes: objects.sizeBytes,
    kind: objects.kind,
    type: type.map(renumber.type),
    site: site.map(renumber.site),
    variable: variable.map(renumber.string),
    freeSite: freeSite.map(renumber.site),
    thread: objects.thread,
    bornAt: objects.bornAt,
    diedAt: objects.diedAt,
    lives: objects.lives,
    lifetime: objects.lifetime,
    references: objects.references,
    flags: objects.flags,
    callPath: callPath.map(renumber.string),
  });
}

/** By object, each object's in order of the counters, as the engine lists them. */
export function sortObjectCounters(table: ObjectCounterTable, objects: number): ObjectCounterColumns {
  const { count } = table;
  const next = new Uint32Array(objects + 1);
  for (const object of table.object) next[object + 1]++;
  for (let object = 0; object < objects; object++) next[object + 1] += next[object];
  const sorted = { object: new Uint32Array(count), counter: new Uint8Array(count), value: new Float64Array(count) };
  for (let row = 0; row < count; row++) {
    const at = next[table.object[row]]++;
    sorted.object[at] = table.object[row];
    sorted.counter[at] = table.counter[row];
    sorted.value[at] = table.value[row];
  }
  return sorted;
}
