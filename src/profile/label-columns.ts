// Stage: replay -> profile. Tables by label become tables by row type: who takes whose line, unused bytes. Labels that
// read the same are one.

import { NO_INDEX } from '../base/ids.js';
import { LABEL_KINDS, type LabelTable, type ReplayResult, type TakerTable } from '../replay/result.js';
import type { Renumber } from './profile-builder.js';
import type { TakerColumns, UnusedBytesColumns } from './profile.js';
import type { RowNames } from './row-names.js';

const site = LABEL_KINDS.indexOf('site');
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
    if (kind[label] === site && type[label] === 0) return this.names.siteType(allocationSlot[label], sizeBytes[label]);
    return this.names.rowType(type[label]);
  }
}

export interface TakerRow {
  readonly level: number;
  readonly taker: number;
  readonly owner: number;
  readonly bin: number;
  lines: number;
}

export function buildTakers(
  table: TakerTable,
  labels: LabelTable,
  names: RowNames,
): (renumber: Renumber) => TakerColumns {
  const types = new LabelTypes(labels, names);
  const rows = new Map<string, TakerRow>();
  for (let row = 0; row < table.count; row++) {
    const { level, bin } = { level: table.level[row], bin: table.bin[row] };
    const [taker, owner] = [types.type(table.taker[row]), types.type(table.owner[row])];
    const key = `${level} ${taker} ${owner} ${bin}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { level, taker, owner, bin, lines: table.lines[row] });
    else known.lines += table.lines[row];
  }
  return (renumber) => freezeTakers([...rows.values()], renumber);
}

export function freezeTakers(rows: readonly TakerRow[], renumber: Renumber): TakerColumns {
  const sorted = rows
    .map((row) => ({ ...row, taker: renumber.type(row.taker), owner: renumber.type(row.owner) }))
    .sort((a, b) => a.level - b.level || a.taker - b.taker || a.owner - b.owner || a.bin - b.bin);
  return {
    level: Uint8Array.from(sorted, (row) => row.level),
    taker: Uint32Array.from(sorted, (row) => row.taker),
    owner: Uint32Array.from(sorted, (row) => row.owner),
    bin: Uint8Array.from(sorted, (row) => row.bin),
    lines: Float64Array.from(sorted, (row) => row.lines),
  };
}

export interface UnusedBytesRow {
  readonly type: number;
  readonly field: number;
  fetchedBytes: number;
  unusedBytes: number;
}

export function buildUnusedBytes(
  { unusedBytes: table, labels }: ReplayResult,
  names: RowNames,
): (renumber: Renumber) => UnusedBytesColumns {
  const types = new LabelTypes(labels, names);
  const rows = new Map<string, UnusedBytesRow>();
  for (let row = 0; row < table.count; row++) {
    const label = table.label[row];
    const type = types.type(label);
    const isType = labels.kind[label] !== site && labels.kind[label] !== noObject;
    const field = isType ? names.leafName(labels.type[label], table.leaf[row]) : NO_INDEX;
    const key = `${type} ${field}`;
    const known = rows.get(key);
    if (known === undefined)
      rows.set(key, { type, field, fetchedBytes: table.fetchedBytes[row], unusedBytes: table.unusedBytes[row] });
    else {
      known.fetchedBytes += table.fetchedBytes[row];
      known.unusedBytes += table.unusedBytes[row];
    }
  }
  return (renumber) => freezeUnusedBytes([...rows.values()], renumber);
}

export function freezeUnusedBytes(rows: readonly UnusedBytesRow[], renumber: Renumber): UnusedBytesColumns {
  const sorted = rows
    .map((row) => ({ ...row, type: renumber.type(row.type), field: renumber.string(row.field) }))
    .sort((a, b) => a.type - b.type || a.field - b.field);
  return {
    type: Uint32Array.from(sorted, (row) => row.type),
    field: Uint32Array.from(sorted, (row) => row.field),
    fetchedBytes: Float64Array.from(sorted, (row) => row.fetchedBytes),
    unusedBytes: Float64Array.from(sorted, (row) => row.unusedBytes),
  };
}
