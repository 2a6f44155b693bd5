// Stage: trace -> stream. The columns that a person may ask for: what each says, what rows need for it, and its values.

import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../contract/catalog.js';
import { SlotKind } from '../trace/layout.js';
import type { RawColumn } from './reference-rows.js';

/** null: nobody knows. */
export type Value = string | number | null;

/** A slot says all of it. */
export interface SlotColumn {
  readonly about: string;
  readonly ofSlot: (catalog: Catalog, slot: number) => Value;
}

export interface RowColumn {
  readonly about: string;
  readonly needs: RawColumn;
  readonly ofRow: (value: number, lineBytes: number) => Value;
}

export type StreamColumn = SlotColumn | RowColumn;

function ofSlot(about: string, valueOf: SlotColumn['ofSlot']): SlotColumn {
  return { about, ofSlot: valueOf };
}

function ofRows(about: string, needs: RawColumn, ofRow: RowColumn['ofRow'] = (value) => value): RowColumn {
  return { about, needs, ofRow };
}

const STORES: readonly number[] = [
  SlotKind.store,
  SlotKind.atomicStore,
  SlotKind.copyStore,
  SlotKind.fill,
  SlotKind.maskedStore,
  SlotKind.scatter,
];
const ATOMICS: readonly number[] = [SlotKind.atomicUpdate, SlotKind.atomicResult];

function kindOf({ slots }: Catalog, slot: number): string {
  if (ATOMICS.includes(slots.kind[slot])) return 'atomic';
  return STORES.includes(slots.kind[slot]) ? 'store' : 'load';
}

export const STREAM_COLUMNS = {
  time: ofRows('instructions of the thread before it', 'time'),
  thread: ofRows('number of the thread', 'thread'),
  kind: ofSlot('load, store or atomic', kindOf),
  address: ofRows('of its first byte', 'address'),
  size: ofRows('bytes, which lie in one cache line', 'size'),
  cacheLine: ofRows('address of the cache line', 'address', (address, bytes) => Math.floor(address / bytes) * bytes),
  type: ofSlot('type that the access names', ({ types, slots }, slot) => types.name[slots.type[slot]] || null),
  field: ofSlot('field of it, with its path', ({ slots }, slot) => slots.path[slot] || null),
  variable: ofSlot(
    'variable that it names',
    ({ variables, slots }, slot) => variables.name[slots.variable[slot]] || null,
  ),
  function: ofSlot('function', ({ functions, slots }, slot) => functions.name[slots.function[slot]] || null),
  file: ofSlot('source file', ({ slots }, slot) => slots.file[slot] || null),
  line: ofSlot('line in the source', ({ slots }, slot) => slots.line[slot] || null),
  object: ofRows('number of the live object', 'object', (number) => (number === NO_INDEX ? null : number)),
} as const satisfies Readonly<Record<string, StreamColumn>>;

export type ColumnName = keyof typeof STREAM_COLUMNS;
export const COLUMN_NAMES = Object.keys(STREAM_COLUMNS) as ColumnName[];

/** Of --columns: names with commas. */
export function parseColumns(text: string): ColumnName[] {
  const names = text.split(',').map((name) => columnCalled(name.trim(), '--columns'));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DprofError(`--columns: '${twice}' stands twice`, 'each column once', 2);
  return names;
}

export function columnCalled(name: string, option: string): ColumnName {
  if (Object.hasOwn(STREAM_COLUMNS, name)) return name as ColumnName;
  const close = closestNames(name, COLUMN_NAMES);
  throw new DprofError(
    `${option}: there is no column '${name}'`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : `there are ${COLUMN_NAMES.join(', ')}`,
    2,
  );
}
