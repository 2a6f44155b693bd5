// Stage: replay -> profile. Objects of a window: those that had a life in it. Those that had ended before it only give
// sharing pairs their names.

import type { ReplayResult } from '../contract/result.js';
import { listObjects, type ObjectChunk } from '../replay/stored-objects.js';

/**
 * The objects that lived in the window, numbered from 0 without gaps; without a window, all objects. Chunks are of any
 * length.
 */
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
  const { count: _, ...columns } = objects;
  const isIn = (_: number, object: number): boolean => objects.lives[object] > 0;
  return {
    first: firstKept,
    objects: {
      count,
      ...(Object.fromEntries(
        Object.entries(columns).map(([name, column]) => [name, column.filter(isIn)]),
      ) as typeof columns),
    },
    counters: { ...counters, object: counters.object.map((object) => row[object - first]) },
  };
}
