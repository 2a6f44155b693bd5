// Stage: trace -> replay. A catalog with one more slot: that of the stores which the kernel makes into the program's
// buffers. It has no type; the object that is written has one.

import type { Catalog } from '../contract/catalog.js';
import { SIZE_DYNAMIC, SlotKind } from './layout.js';

type NumberColumn = Uint8Array | Uint16Array | Uint32Array | Int32Array;

function append<C extends NumberColumn>(column: C, value: number): C {
  const longer = new (column.constructor as new (length: number) => C)(column.length + 1);
  longer.set(column);
  longer[column.length] = value;
  return longer;
}

export function addKernelSlot(catalog: Catalog): { catalog: Catalog; slot: number } {
  const { slots, functions } = catalog;
  return {
    slot: slots.count,
    catalog: {
      ...catalog,
      functions: {
        count: functions.count + 1,
        name: [...functions.name, '(kernel)'],
        linkageName: [...functions.linkageName, ''],
        file: [...functions.file, ''],
        line: append(functions.line, 0),
      },
      slots: {
        count: slots.count + 1,
        kind: append(slots.kind, SlotKind.fill),
        sizeBytes: append(slots.sizeBytes, SIZE_DYNAMIC),
        lanes: append(slots.lanes, 1),
        type: append(slots.type, 0),
        offset: append(slots.offset, 0),
        path: [...slots.path, ''],
        variable: append(slots.variable, 0),
        function: append(slots.function, functions.count),
        file: [...slots.file, ''],
        line: append(slots.line, 0),
        column: append(slots.column, 0),
        base: append(slots.base, 0),
        delta: append(slots.delta, 0),
        inlinedAt: append(slots.inlinedAt, 0),
      },
    },
  };
}
