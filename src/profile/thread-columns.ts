// Stage: replay -> profile. Things that threads share, with names: shared variables by source line, variable and
// thread.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_KINDS, type ReplayResult } from '../contract/result.js';
import { STORE_KINDS } from '../trace/layout.js';
import { LabelTypes } from './label-columns.js';
import type { RowNames } from './row-names.js';
import { Rows } from './rows.js';
import { SHARED_VARIABLE_TABLES } from './tables.js';

const site = LABEL_KINDS.indexOf('site');

export function buildSharedVariables(
  { sharedVariables: table, labels }: ReplayResult,
  names: RowNames,
): Rows<typeof SHARED_VARIABLE_TABLES.sharedVariables.columns> | undefined {
  if (table === undefined) return undefined;
  const types = new LabelTypes(labels, names);
  const { slots } = names.catalog;
  const rows = new Rows(SHARED_VARIABLE_TABLES.sharedVariables);
  rows.addResult(table, (row) => {
    const [slot, label] = [table.slot[row], table.label[row]];
    const type = types.type(label);
    const isType = labels.kind[label] !== site;
    const field = isType ? names.fieldOfSlot(slot, labels.type[label], table.leaf[row]) : NO_INDEX;
    return {
      type,
      variable: names.spellVariable(table.variable[row], type, field),
      site: names.sites.intern('', slots.file[slot], slots.line[slot], 0),
      thread: table.thread[row],
      stores: STORE_KINDS.includes(slots.kind[slot]) ? 1 : 0,
    };
  });
  return rows;
}
