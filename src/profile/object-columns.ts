// Stage: replay -> profile. The engine's object columns with catalog rows replaced by the profile's types, sites and
// names. Done in two passes: names are numbered only when all of them are known.

import {
  CALL_PATH_FRAMES,
  OBJECT_KINDS,
  type CallPathTable,
  type ObjectTable,
  type ReplayResult,
} from '../contract/result.js';
import { closeObjects } from '../replay/stored-objects.js';
import {
  loadObjects,
  objectsOf,
  rechunk,
  type ObjectPart,
  type ObjectSource,
  type ProfileObjects,
} from './object-source.js';
import { listObjectsInWindow } from './objects-in-window.js';
import type { RowNames } from './row-names.js';
import { renumberColumns, type Renumber } from './table-rows.js';
import { cellsOf, TABLES, type ObjectColumns } from './tables.js';

const heap = OBJECT_KINDS.indexOf('heap');

/** Numbers given out while building. */
type ObjectNames = Pick<ObjectColumns, 'type' | 'site' | 'variable' | 'freeSite' | 'callPath'>;

/** `hasCores`: threads change cores, so each object says its own. */
export function buildObjects(
  result: ReplayResult,
  names: RowNames,
  hasCores: boolean,
): (renumber: Renumber) => ObjectPart {
  const pathNames = namePaths(result.callPaths, names);
  let count = 0;
  for (const { objects } of listObjectsInWindow(result)) {
    nameObjects(objects, pathNames, names);
    count += objects.count;
  }
  return (renumber) => {
    function* named(): Generator<ProfileObjects> {
      for (const { first, objects, counters } of listObjectsInWindow(result)) {
        const { count: _, ...columns } = counters;
        const numbered = renumberColumns(
          cellsOf(TABLES.objects, hasCores),
          { ...objects, ...nameObjects(objects, pathNames, names) },
          renumber,
        );
        yield { first, objects: numbered, counters: columns };
      }
    }
    const source: ObjectSource = {
      count,
      hasCores,
      chunks: () => (result.window === undefined ? named() : rechunk(named())),
      close: () => closeObjects(result),
    };
    return result.storedObjects === undefined ? loadObjects(source) : objectsOf(source);
  };
}

function namePaths(callPaths: CallPathTable, names: RowNames): Uint32Array {
  return Uint32Array.from({ length: callPaths.count }, (_, row) =>
    names.functionPath(callPaths.function.subarray(row * CALL_PATH_FRAMES, (row + 1) * CALL_PATH_FRAMES)),
  );
}

function nameObjects(objects: ObjectTable, pathNames: Uint32Array, names: RowNames): ObjectNames {
  const { count } = objects;
  const [type, site, variable, freeSite] = Array.from({ length: 4 }, () => new Uint32Array(count));
  for (let object = 0; object < count; object++) {
    const isHeap = objects.kind[object] === heap;
    type[object] = names.objectType(objects, object);
    site[object] = isHeap
      ? names.allocationSite(objects.callPath[object], objects.allocationSlot[object])
      : names.variableSite(objects.variable[object]);
    variable[object] = names.variableName(isHeap ? 0 : objects.variable[object]);
    freeSite[object] = names.slotSite(objects.freeSlot[object]);
  }
  return { type, site, variable, freeSite, callPath: objects.callPath.map((path) => pathNames[path]) };
}
