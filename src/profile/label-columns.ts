// Stage: replay -> profile. Tables by label become tables by row type: who takes whose line, unused bytes. Labels that
// read the same are one.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_KINDS, type LabelTable, type ReplayResult, type TakerTable } from '../contract/result.js';
import type { RowNames } from './row-names.js';
import { Rows } from './rows.js';
import { TABLES } from './tables.js';

const type = LABEL_KINDS.indexOf('type');
const site = LABEL_KINDS.indexOf('site');
const pool = LABEL_KINDS.indexOf('pool');
const noObject = LABEL_KINDS.indexOf('no-object');

/** Row types of labels, made when they are asked for: most types of a catalog are no label. */
export class LabelTypes {
  readonly #types = new Map<number, number>();

  constructor(
    private readonly labels: LabelTable,
    private readonly names: RowNames,
  ) {}

  type(label: number): number {
    let type = this.#types.get(label);
    if (type === undefined) this.#types.set(label, (type = this.#name(label)));
    return type;
  }

  #name(label: number): number {
    const { kind, type, allocationSlot, sizeBytes } = this.labels;
    if (kind[label] === noObject) return this.names.noObject();
    if (kind[label] === pool) return this.names.poolType(allocationSlot[label], sizeBytes[label]);
    if (kind[label] === site && type[label] === 0) return this.names.siteType(allocationSlot[label], sizeBytes[label]);
    return this.names.rowType(type[label]);
  }
}

export function buildTakers(
  table: TakerTable,
  labels: LabelTable,
  names: RowNames,
): Rows<typeof TABLES.evictions.columns> {
  const types = new LabelTypes(labels, names);
  const rows = new Rows(TABLES.evictions);
  const { level, taker, owner, bin } = table;
  rows.addResult(table, (row) => ({
    level: level[row],
    taker: types.type(taker[row]),
    owner: types.type(owner[row]),
    bin: bin[row],
  }));
  return rows;
}

export function buildUnusedBytes(
  { unusedBytes: table, labels }: ReplayResult,
  names: RowNames,
): Rows<typeof TABLES.unusedBytes.columns> {
  const types = new LabelTypes(labels, names);
  const rows = new Rows(TABLES.unusedBytes);
  rows.addResult(table, (row) => {
    const label = table.label[row];
    const isType = labels.kind[label] === type;
    return {
      type: types.type(label),
      field: isType ? names.leafName(labels.type[label], table.leaf[row]) : NO_INDEX,
    };
  });
  return rows;
}
