// Stage: profile -> views. The definition of a view: its input, the choices that it offers, and the tables that show
// it. views.ts lists all views.

import type { Profile } from '../profile/profile.js';
import type { Column } from './columns.js';
import type { SampledPart } from '../profile/sampled.js';
import type { FilterName, SampledView, View, ViewOptions } from './view.js';

export interface Table<Line> {
  readonly columns: readonly Column<Line>[];
  /** A list of texts is a line as it is. */
  readonly lines: readonly (Line | readonly string[])[];
  /** The last line is about all rows. */
  readonly hasAll?: boolean;
}

export interface ViewTable<Line> extends Table<Line> {
  readonly title: string;
  /** Instead of the table, where there are no lines. */
  readonly empty?: string;
  /** `notes` stand before the meanings of the columns, `remarks` behind them. */
  readonly notes: readonly string[];
  readonly remarks?: readonly string[];
  /** Below the first table; one without lines is left out. */
  readonly further?: readonly Table<unknown>[];
}

export interface ViewDefinition<
  Whole extends View<unknown>,
  /** never: only a replay says anything of it. */
  FromSamples extends SampledView<unknown> = never,
> {
  build(profile: Profile, options?: ViewOptions): Whole;
  /** The part that the profile must have, if not every profile has it. */
  readonly needs?: 'flow' | 'layouts' | 'locks' | 'schedules' | 'sharedVariables';
  /** Without: only a replay says anything of it. */
  readonly sampled?: {
    /** The recordings that the view needs beside samples. */
    readonly from: 'samples' | 'histories';
    /** Turns the rows, which were built from estimates as if these were counts, into the rows that samples say. */
    rows(
      profile: Profile,
      sampled: SampledPart,
      rows: Whole['rows'],
      options: ViewOptions,
    ): readonly FromSamples['rows'][number][];
  };
  /** By type, if not said otherwise. */
  readonly filters?: readonly FilterName[];
  /** How an HTML report has it, if not in one piece and on a page: by type, for its numbers alone, or not at all. */
  readonly inReport?: 'by type' | 'no page' | 'left out';
  /** `--level` chooses the level whose misses it shows. */
  readonly hasLevels?: true;
  /** `--call-path` has them below the rows of its text. */
  readonly hasCallPaths?: true;
  /** The columns of its rows, which `--sort` may name; without, the view has one order. */
  columns?(view: Whole | FromSamples): readonly Column<never>[];
  /** What --min-share asks of a row: which share of all it has, if not its L1 misses of all of them. */
  shareOf?(row: Whole['rows'][number], view: Whole): number;
  /** Rows of CSV, if not the view's own. */
  csvRows?(view: Whole | FromSamples): Iterable<object>;
  /** `top`: rows that are asked for. */
  table(view: Whole | FromSamples, top: number): ViewTable<unknown>;
}

interface NamedRow {
  readonly type: string;
  readonly field: string | null;
  /** Of rows that are told apart by where their memory was allocated. */
  readonly site?: string | null;
  readonly receiver?: string | null;
}

const keyOf = ({ type, site = '', receiver = '' }: NamedRow): string => `${type}\n${site}\n${receiver}`;

/**
 * The lines of types with their fields: each type's row, then its fields that `tell` accepts, then the number of fields
 * that are left out.
 */
export function nestFields<Row extends NamedRow>(
  wholes: readonly Row[],
  all: readonly Row[],
  tell: (field: Row) => boolean,
  { most, countsLeft }: { readonly most: number; readonly countsLeft: ((left: number) => string) | null },
): (Row | readonly string[])[] {
  const fields = new Map<string, Row[]>();
  for (const row of all) {
    if (row.field === null) continue;
    const own = fields.get(keyOf(row));
    if (own === undefined) fields.set(keyOf(row), [row]);
    else own.push(row);
  }
  return wholes.flatMap((whole) => {
    const own = fields.get(keyOf(whole)) ?? [];
    const told = own.filter(tell).slice(0, most);
    const left = own.length - told.length;
    return left === 0 || told.length === 0 || countsLeft === null
      ? [whole, ...told]
      : [whole, ...told, [countsLeft(left)]];
  });
}
