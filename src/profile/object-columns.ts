// Stage: replay -> profile. The engine's object columns with catalog rows replaced by the profile's types, sites and names.

import { OBJECT_KINDS, type ObjectColumns } from './profile.js';
import { CALL_PATH_FRAMES, type CallPathTable, type ObjectTable } from '../replay/result.js';
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
