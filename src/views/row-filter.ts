// Stage: profile -> views. The filters --type, --field, --function and --min-share. If rows name the thing, rows that
// name another are left out; otherwise rows count only what is asked for. Totals stay those of the run.

import { isRowAsked, isTypeAsked } from '../base/type-name.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { closestNames, didYouMean } from '../base/closest-names.js';
import { framesOf } from './frames.js';
import { spellFunction, spellSite } from './sites.js';
import { spellRow, type NamedRow } from './split-rows.js';
import type { RowFilter, SampledView, View } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import type { LoadsAndStores } from './data-profile-rows.js';

/** Whether a tally is what is asked for. */
export function selectTallies(profile: Profile, { type, field, function: name }: RowFilter): (row: number) => boolean {
  const { tallies, types, strings } = profile;
  const isOfAsked = type === undefined || !isRowAsked(type) ? () => true : isOfRow(profile, type);
  return (row) =>
    (type === undefined || isTypeAsked(strings[types.name[tallies.type[row]]], type)) &&
    isOfAsked(row) &&
    (field === undefined || (tallies.field[row] !== NO_INDEX && strings[tallies.field[row]] === field)) &&
    (name === undefined || spellFunction(profile, framesOf(profile).charged(tallies.site[row])) === name);
}

/** Whether a tally is in the row that text names so. */
function isOfRow(profile: Profile, asked: string): (row: number) => boolean {
  const { tallies, types, strings } = profile;
  const frames = framesOf(profile);
  return (row) => {
    const own = frames.allocation(tallies.origin[row]);
    const named = { type: strings[types.name[tallies.type[row]]], site: spellSite(profile, own) };
    return spellRow({ ...named, receiver: frames.receiver(tallies.origin[row]) }) === asked;
  };
}

/** The names that a row may have. A row of sharing has them on two sides, a row of takers names types. */
interface NamedThings {
  readonly type?: string;
  readonly field?: string | null;
  readonly function?: string | null;
  readonly taker?: string;
  readonly owner?: string;
  readonly missed?: NamedThings;
  readonly writer?: NamedThings;
  /** A lock's: what its holders touched. */
  readonly data?: readonly NamedThings[];
}

export function filterRows<Whole extends View<unknown> | SampledView<unknown>>(
  view: Whole,
  { type, field, function: name, minShare }: RowFilter,
  definition: Pick<ViewDefinition<View<unknown>, SampledView<unknown>>, 'shareOf'> = {},
): Whole {
  const filter: RowFilter = {
    ...(type !== undefined && { type }),
    ...(field !== undefined && { field }),
    ...(name !== undefined && { function: name }),
    ...(minShare !== undefined && { minShare }),
  };
  if (Object.keys(filter).length === 0) return view;
  let rows: readonly unknown[] = view.rows;
  if (type !== undefined)
    rows = rows.filter(
      (row) =>
        concerns(row as NamedThings, type, ['type', 'taker', 'owner'], isTypeAsked) && isOfSite(row as object, type),
    );
  if (name !== undefined) rows = rows.filter((row) => concerns(row as NamedThings, name, ['function']));
  if (minShare !== undefined) {
    const share = shareOf(view, definition);
    rows = rows.filter((row) => share(row) * 100 >= minShare);
  }
  if (field !== undefined) rows = keepFields(rows, field);
  return { ...view, filter, rows };
}

/** Any side's; rows that do not name such a thing were made for it alone. */
function concerns(
  row: NamedThings,
  name: string,
  keys: readonly (keyof NamedThings)[],
  isAsked: (own: string, asked: string) => boolean = (own, asked) => own === asked,
): boolean {
  const sides = [row, row.missed, row.writer, ...(row.data ?? [])].filter((side) => side !== undefined);
  const named = sides.flatMap((side) => keys.map((key) => side[key])).filter((value) => value !== undefined);
  return named.length === 0 || named.some((own) => typeof own === 'string' && isAsked(own, name));
}

/** Rows that are told apart by site are asked for as text names them. */
function isOfSite(row: object, asked: string): boolean {
  return !isRowAsked(asked) || !('receiver' in row && 'type' in row) || spellRow(row as NamedRow) === asked;
}

/** A type's own row stays above its fields that do. */
function keepFields<Row>(rows: readonly Row[], field: string): readonly Row[] {
  const isOf = (row: NamedThings): boolean => concerns(row, field, ['field']);
  const kept = new Set(rows.filter((row) => isOf(row as NamedThings)).map((row) => (row as NamedThings).type));
  const isWhole = ({ type, field: own, missed }: NamedThings): boolean =>
    missed === undefined && own === null && kept.has(type);
  return rows.filter((row) => isOf(row as NamedThings) || isWhole(row as NamedThings));
}

/**
 * The row's share of the whole that its column `of all` is about: estimated cycles, if the view says nothing else; of
 * samples L1 misses.
 */
function shareOf(
  view: View<unknown> | SampledView<unknown>,
  definition: Pick<ViewDefinition<View<unknown>, SampledView<unknown>>, 'shareOf'>,
): (row: unknown) => number {
  const of = (part: number, whole: number | null): number => (whole === null || whole === 0 ? 0 : part / whole);
  if (view.sampled !== undefined) return (row) => of(l1MissesOf(row as object), view.totals.levels.l1.misses);
  return (row) =>
    definition.shareOf?.(row, view) ??
    of((row as { missLatencyCycles: number }).missLatencyCycles, view.totals.missLatencyCycles);
}

function l1MissesOf(row: {
  readonly levels?: { readonly l1: { readonly misses: number } };
  readonly misses?: { readonly l1: number | LoadsAndStores };
}): number {
  if (row.levels !== undefined) return row.levels.l1.misses;
  const l1 = row.misses?.l1 ?? 0;
  return typeof l1 === 'number' ? l1 : l1.loads + l1.stores;
}

/** A type that neither of two profiles names. */
export function requireTypeOfEither(profiles: readonly Profile[], type: string): void {
  const names = [...new Set(profiles.flatMap(({ types, strings }) => Array.from(types.name, (name) => strings[name])))];
  requireName(
    'type',
    type,
    names.filter((name) => name !== '(no object)'),
    names.some((one) => isTypeAsked(one, type)),
    'either profile',
  );
}

/** Names that are nowhere in the profile are mistyped. */
export function requireNames(profile: Profile, { type, field, function: name }: RowFilter): void {
  const { strings, types, tallies, sharing, unusedBytes, sites } = profile;
  const spell = (numbers: Iterable<number>): string[] =>
    [...new Set(numbers)]
      .filter((number) => number !== NO_INDEX)
      .map((number) => strings[number])
      .filter((text) => text !== '');
  if (type !== undefined)
    requireName(
      'type',
      type,
      spell(types.name).filter((one) => one !== '(no object)'),
      isRowAsked(type)
        ? Array.from(tallies.type, (_, row) => row).some(selectTallies(profile, { type }))
        : types.name.some((number) => isTypeAsked(strings[number], type)),
    );
  if (field !== undefined)
    requireName(
      'field',
      field,
      spell([...tallies.field, ...sharing.missed.field, ...sharing.writer.field, ...unusedBytes.field]),
    );
  if (name !== undefined) requireName('function', name, spell(sites.function));
}

/**
 * `names` are the names that the user may have meant. Rows that are no type of the program can be asked for too
 * (`isKnown`), but are never suggested.
 */
export function requireName(
  kind: string,
  asked: string,
  names: readonly string[],
  isKnown = names.includes(asked),
  where = 'this profile',
): void {
  if (isKnown) return;
  const closest = closestNames(asked, names);
  const hint = closest.length === 0 ? `the profile names no ${kind}s` : didYouMean(closest);
  throw new DprofError(`no ${kind} in ${where} is named '${asked}'`, hint);
}
