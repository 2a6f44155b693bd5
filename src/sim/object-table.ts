// Stage: replay. All objects that lived, in the order of their creation, to the result's table.

import { OBJECT_COLUMNS, POOL_FLAG, type ObjectTable } from '../contract/result.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';

export function objectTable(objects: readonly SimObject[]): ObjectTable {
  const rows = objects.map((object) => ({
    ...object,
    type: object.isPool ? 0 : object.declared !== 0 ? object.declared : object.voted,
    flags:
      (object.isBounced ? 1 : 0) |
      (object.isWriteShared ? 2 : 0) |
      (object.isPart ? 4 : 0) |
      (object.isFreed ? 8 : 0) |
      (object.isFreedElsewhere ? 16 : 0) |
      (object.isPool ? POOL_FLAG : 0),
  }));
  return tableOf(rows, OBJECT_COLUMNS);
}
