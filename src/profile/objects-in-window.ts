// Stage: replay -> profile. Objects of a window: those that had a life in it. Those that had ended before it only give
// sharing pairs their names.

import type { ReplayResult } from '../replay/result.js';
import { listObjects, type ObjectChunk } from '../replay/stored-objects.js';

/** Numbered from 0 without gaps; of a result of no window all objects. Chunks are of any length. */
export function* listObjectsInWindow(result: ReplayResult): Generator<ObjectChunk> {
  let first = 0;
  for (const chunk of listObjects(result)) {
    const kept = result.window === undefined ? chunk : keepLiving(chunk, first);
    first += kept.objects.count;
    yield kept;
  }
}

function keepLiving({ first, objects, counters }: ObjectChunk, firstKept: number): ObjectChunk {
  const row = new Uint32Array(objects.count);
  let count = 0;
  for (let object = 0; object < objects.count; object++) {
    row[object] = firstKept + count;
    if (objects.lives[object] > 0) count++;
  }
  const isIn = (_: number, object: number): boolean => objects.lives[object] > 0;
  return {
    first: firstKept,
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
      core: Uint16Array.from(objects.core).filter(isIn),
      bornAt: objects.bornAt.filter(isIn),
      diedAt: objects.diedAt.filter(isIn),
      lives: objects.lives.filter(isIn),
      lifetime: objects.lifetime.filter(isIn),
      references: objects.references.filter(isIn),
      flags: objects.flags.filter(isIn),
      callPath: objects.callPath.filter(isIn),
    },
    counters: { ...counters, object: counters.object.map((object) => row[object - first]) },
  };
}
