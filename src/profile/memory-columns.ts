// Stage: replay -> profile. The structs that accesses name in memory, with names.

import type { ReplayResult } from '../contract/result.js';
import type { RowNames } from './row-names.js';
import { Rows } from './rows.js';
import { MEMORY_TABLES } from './tables.js';

export function buildMemoryStructs(
  { memoryStructs: table }: ReplayResult,
  names: RowNames,
): Rows<typeof MEMORY_TABLES.memoryStructs.columns> {
  const rows = new Rows(MEMORY_TABLES.memoryStructs);
  rows.addResult(table, (row) => {
    const variable = table.variable[row];
    return {
      type: names.rowType(table.type[row]),
      site:
        variable === 0
          ? names.allocationSite(table.callPath[row], table.allocationSlot[row])
          : names.variableSite(variable),
      variable: names.variableName(variable),
    };
  });
  return rows;
}
