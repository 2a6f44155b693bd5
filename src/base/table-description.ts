// Stage: all. A table of numbers, described once, column by column: what each number is, and what two rows of equal
// keys are together. Types, checks, files and the engine's headers follow from it.

/** Columns in memory and in files: by the name of their element. */
export const ELEMENTS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type Element = keyof typeof ELEMENTS;

interface Arrays {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  f64: Float64Array;
}
export type ColumnArray = Arrays[Element];

/**
 * `key`: rows differ in it; `kept`: rows of the table are never added. The others say what two rows of equal keys have
 * together; `largest-of-runs`: within a run the sum, of several runs the largest.
 */
export type Role = 'key' | 'kept' | 'sum' | 'largest' | 'smallest' | 'largest-of-runs';
export type Measure = Exclude<Role, 'key'>;

export type Unit =
  | 'accesses'
  | 'address'
  | 'bytes'
  | 'counts'
  | 'cycles'
  | 'instructions'
  | 'lines'
  | 'lines x instructions'
  | 'lives'
  | 'misses'
  | 'nanoseconds'
  | 'objects'
  | 'references'
  | 'samples'
  | 'steps'
  | 'variance';

/** A list whose members a column refers to by their place in it. Files have the members by name. */
export interface NameList {
  readonly name: string;
  readonly members: readonly string[];
}

export interface Column<E extends Element = Element, R extends Role = Role, Each extends boolean = boolean> {
  readonly element: E;
  readonly role: R;
  /** A row has one number for each of `names`; the column is row-major. */
  readonly isEach: Each;
  /** The table whose rows its numbers are: 'type', 'site'. */
  readonly rowOf?: string;
  /** NO_INDEX is allowed. */
  readonly mayBeNone?: true;
  /** A number is a member of the list, or, `isEach`, there is one for each. */
  readonly names?: NameList;
  /** Every number is below it. */
  readonly below?: number;
  readonly unit?: Unit;
}

/** Columns by name; a group of columns that belong together is columns in columns. */
export interface Columns {
  readonly [name: string]: Column | Columns;
}

/** A table's columns as arrays. */
export type ColumnsOf<C> = {
  readonly [K in keyof C]: C[K] extends Column<infer E> ? Arrays[E] : ColumnsOf<C[K]>;
};

/** A table of an engine's result. */
export type ResultTable<C> = { readonly count: number } & ColumnsOf<C>;

/** One row while a table is put together. */
export type RowOf<C> = {
  -readonly [K in keyof C]: C[K] extends Column<Element, Role, infer Each>
    ? Each extends true
      ? number[] | Float64Array
      : number
    : RowOf<C[K]>;
};

/** The keys of a row. */
export type KeysOf<C> = RowOf<{ [K in keyof C as C[K] extends Column<Element, Measure> ? never : K]: C[K] }>;
/** The measures of a table as arrays. */
export type MeasuresOf<C> = ColumnsOf<{ [K in keyof C as C[K] extends Column<Element, Measure> ? K : never]: C[K] }>;

function column<E extends Element, R extends Role>(
  element: E,
  role: R,
  more: Omit<Column, 'element' | 'role' | 'isEach'> = {},
): Column<E, R, false> {
  return { element, role, isEach: false, ...more };
}

export const key = <E extends Element>(element: E, below?: number): Column<E, 'key', false> =>
  column(element, 'key', below === undefined ? {} : { below });
/** A row of something else. */
export const rowOf = (what: string): Column<'u32', 'key', false> => column('u32', 'key', { rowOf: what });
export const rowOrNone = (what: string): Column<'u32', 'key', false> =>
  column('u32', 'key', { rowOf: what, mayBeNone: true });
export const coreNumber = (): Column<'u16', 'key', false> => column('u16', 'key', { rowOf: 'core' });
export const memberOf = (names: NameList): Column<'u8', 'key', false> => column('u8', 'key', { names });
/** Some of a cache level's sets, of the level that the row names. */
export const binOfLevel = (): Column<'u8', 'key', false> => column('u8', 'key', { rowOf: 'bin' });
export const kept = <E extends Element>(element: E, unit?: Unit): Column<E, 'kept', false> =>
  column(element, 'kept', unit === undefined ? {} : { unit });
/** How many rows of another table belong to the row: they stand one behind the other. */
export const countOf = (unit: Unit, below: number): Column<'u32', 'kept', false> =>
  column('u32', 'kept', { unit, below });
export const sum = (unit: Unit): Column<'f64', 'sum', false> => column('f64', 'sum', { unit });
export const largest = (unit: Unit): Column<'f64', 'largest', false> => column('f64', 'largest', { unit });
export const smallest = (unit: Unit): Column<'f64', 'smallest', false> => column('f64', 'smallest', { unit });
export const largestOfRuns = (unit: Unit): Column<'f64', 'largest-of-runs', false> =>
  column('f64', 'largest-of-runs', { unit });
/** One sum for each name. */
export const sums = (names: NameList, unit: Unit): Column<'f64', 'sum', true> => ({
  ...column('f64', 'sum', { names, unit }),
  isEach: true,
});

export interface Cell {
  /** "missed.type". */
  readonly name: string;
  readonly path: readonly string[];
  readonly column: Column;
}

/** Every column, those of groups too, in order. */
export function listCells(columns: Columns, path: readonly string[] = []): Cell[] {
  return Object.entries(columns).flatMap(([name, entry]) => {
    const at = [...path, name];
    return isColumn(entry) ? [{ name: at.join('.'), path: at, column: entry }] : listCells(entry, at);
  });
}

function isColumn(entry: Column | Columns): entry is Column {
  return typeof entry.element === 'string';
}

/** How many numbers a row has in the column. */
export function widthOf({ isEach, names }: Column): number {
  return isEach ? names!.members.length : 1;
}

/** The value at the path: a column of a table, or a cell of a row. */
export function pick(owner: unknown, path: readonly string[]): unknown {
  if (path.length === 1) return (owner as Record<string, unknown> | undefined)?.[path[0]];
  let value = owner;
  for (const name of path) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

/** Puts a value where `pick` finds it. */
export function put(owner: object, path: readonly string[], value: unknown): void {
  const record = owner as Record<string, unknown>;
  if (path.length === 1) record[path[0]] = value;
  else put((record[path[0]] ??= {}) as object, path.slice(1), value);
}

/** Whether each column is there, as an array of its element. */
export function hasColumns<C extends Columns>(columns: C, table: object): table is ColumnsOf<C> {
  return listCells(columns).every(({ path, column }) => pick(table, path) instanceof ELEMENTS[column.element]);
}

/** A table of so many rows, all 0. */
export function zeroTable<C extends Columns>(columns: C, rows: number): ColumnsOf<C> {
  const table = {};
  for (const { path, column } of listCells(columns))
    put(table, path, new ELEMENTS[column.element](rows * widthOf(column)));
  return table as ColumnsOf<C>;
}

/** Rows as columns, in the order in which they are. */
export function freezeRows<C extends Columns>(columns: C, rows: readonly RowOf<C>[]): ColumnsOf<C> {
  const table = {};
  for (const { path, column } of listCells(columns)) {
    const width = widthOf(column);
    const array = new ELEMENTS[column.element](rows.length * width);
    rows.forEach((row, at) => {
      const value = pick(row, path);
      if (column.isEach) array.set(value as ArrayLike<number>, at * width);
      else array[at] = value as number;
    });
    put(table, path, array);
  }
  return table as ColumnsOf<C>;
}
