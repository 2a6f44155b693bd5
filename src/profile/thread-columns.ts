// Stage: replay -> profile. What threads have in common, with names: shared variables by source line, variable and
// thread.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_KINDS, type ReplayResult } from '../replay/result.js';
import { LabelTypes } from './label-columns.js';
import type { Renumber } from './profile-builder.js';
import type { SharedVariableColumns } from './profile.js';
import type { RowNames } from './row-names.js';

const site = LABEL_KINDS.indexOf('site');

export interface SharedVariableRow {
  readonly type: number;
  readonly variable: number;
  readonly site: number;
  readonly thread: number;
  accesses: number;
}

export function buildSharedVariables(
  { sharedVariables: table, labels }: ReplayResult,
  names: RowNames,
): ((renumber: Renumber) => SharedVariableColumns) | undefined {
  if (table === undefined) return undefined;
  const types = new LabelTypes(labels, names);
  const { slots } = names.catalog;
  const rows = new Map<string, SharedVariableRow>();
  for (let row = 0; row < table.count; row++) {
    const [slot, label, thread] = [table.slot[row], table.label[row], table.thread[row]];
    const type = types.type(label);
    const isType = labels.kind[label] !== site;
    const field = isType ? names.fieldOfSlot(slot, labels.type[label], table.leaf[row]) : NO_INDEX;
    const variable = names.spellVariable(table.variable[row], type, field);
    const line = names.sites.intern('', slots.file[slot], slots.line[slot], 0);
    const key = `${type} ${variable} ${line} ${thread}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { type, variable, site: line, thread, accesses: table.accesses[row] });
    else known.accesses += table.accesses[row];
  }
  return (renumber) => freezeSharedVariables([...rows.values()], renumber);
}

export function freezeSharedVariables(rows: readonly SharedVariableRow[], renumber: Renumber): SharedVariableColumns {
  const sorted = rows
    .map((row) => ({
      ...row,
      type: renumber.type(row.type),
      variable: renumber.string(row.variable),
      site: renumber.site(row.site),
    }))
    .sort((a, b) => a.site - b.site || a.variable - b.variable || a.type - b.type || a.thread - b.thread);
  return {
    type: Uint32Array.from(sorted, (row) => row.type),
    variable: Uint32Array.from(sorted, (row) => row.variable),
    site: Uint32Array.from(sorted, (row) => row.site),
    thread: Uint32Array.from(sorted, (row) => row.thread),
    accesses: Float64Array.from(sorted, (row) => row.accesses),
  };
}
