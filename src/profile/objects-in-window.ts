// Stage: replay -> profile. Objects of a window: those that had a life in it. Those that had ended before it only give sharing pairs their names.

import type { ObjectCounterTable, ObjectTable, ReplayResult } from '../replay/result.js';

export function objectsInWindow({ objects, objectCounters, window }: ReplayResult): { readonly objects: ObjectTable; readonly objectCounters: ObjectCounterTable } {
  if (window === undefined) return { objects, objectCounters };
  const row = new Uint32Array(objects.count);
  let count = 0;
  for (let object = 0; object < objects.count; object++) {
    row[object] = count;
    if (objects.lives[object] > 0) count++;
  }
  const isIn = (_: number, object: number): boolean => objects.lives[object] > 0;
  return {
    objects: {
      count,
      address: objects.address.filter(isIn),
      sizeBytes: objects.sizeBytes.filter(isIn),
      kind: objects.kind.filter(isIn),
      allocationSlot: objects.allocationSlot.filter(isIn),
      variable: objects.variable.filter(isIn),
      freeSlot: objects.freeSlot.filter(isIn),
      type: objects.type.filter(isIn),
      thread: objects.thread.filter(isIn),
      bornAt: objects.bornAt.filter(isIn),
      diedAt: objects.diedAt.filter(isIn),
      lives: objects.lives.filter(isIn),
      lifetime: objects.lifetime.filter(isIn),
      references: objects.references.filter(isIn),
      flags: objects.flags.filter(isIn),
      callPath: objects.callPath.filter(isIn),
    },
    objectCounters: { ...objectCounters, object: objectCounters.object.map((object) => row[object]) },
  };
}
