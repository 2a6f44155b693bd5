// Stage: replay -> profile. The structs that accesses name in memory, with names.

import { CALL_PATH_FRAMES, type ReplayResult } from '../contract/result.js';
import type { RowNames } from './row-names.js';
import { Rows } from './table-rows.js';
import { MEMORY_TABLES } from './tables.js';

export function buildMemoryStructs(
  { memoryStructs: table, callPaths }: ReplayResult,
  names: RowNames,
): Rows<typeof MEMORY_TABLES.memoryStructs.columns> {
  const rows = new Rows(MEMORY_TABLES.memoryStructs);
  rows.addResult(table, (row) => {
    const [variable, frames] = [table.variable[row], table.callPath[row] * CALL_PATH_FRAMES];
    return {
      type: names.rowType(table.type[row]),
      site: variable === 0 ? names.slotSite(table.allocationSlot[row]) : names.variableSite(variable),
      variable: names.variableName(variable),
      callPath: names.functionPath(callPaths.function.subarray(frames, frames + CALL_PATH_FRAMES)),
    };
  });
  return rows;
}
