// Stage: profile -> views. Miss classification: the class of every miss at every level, per type and under it per
// field, or per field, function, line, object or core.

import { formatCount } from '../base/format-number.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, name, type Column } from './columns.js';
import { compareRanks, type CounterSums, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { allocationPaths, pathLines, type ShownPath } from './frames.js';
import { classify } from './level-misses.js';
import { mostMisses, mostMissesColumn } from './most-misses.js';
import { missColumns, ruleTable } from './miss-columns.js';
import { classifyObjects, type ObjectMissRow } from './object-misses.js';
import { classifySites, siteColumns } from './site-misses.js';
import { selectTallies } from './row-filter.js';
import type { Sampled } from './row-estimates.js';
import { sampledMissRows } from './sampled-miss-rows.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import { spellOrder } from './sort-rows.js';
import { chainLines, Charges } from './charges.js';
import { spellFunction, spellOrigin, spellSite } from './sites.js';
import { rowPaths, spellRow, splitRows } from './split-rows.js';
import type { ClassifiedBy, SampledView, View, ViewOptions } from './view.js';
import { nestFields, type ViewDefinition } from './view-definition.js';
import type { ClassifiedRow, CoreMissRow, FunctionMissRow, LineMissRow, MissClassificationRow } from './miss-rows.js';

/** By type. */
export type MissClassification = View<MissClassificationRow>;
export type SampledTypeMisses = SampledView<Sampled<MissClassificationRow>>;
export type SampledMissClassification = SampledView<Sampled<ClassifiedRow>>;
type AnyRow = ClassifiedRow | Sampled<ClassifiedRow>;

export function buildMissClassification(profile: Profile): MissClassification;
export function buildMissClassification(profile: Profile, options: ViewOptions): View<ClassifiedRow>;
export function buildMissClassification(profile: Profile, options: ViewOptions = {}): View<ClassifiedRow> {
  return wrapRows(profile, 'miss-classification', ROWS[options.by ?? 'type'](profile, options), options);
}

const ROWS: Readonly<Record<ClassifiedBy, (profile: Profile, options: ViewOptions) => readonly ClassifiedRow[]>> = {
  type: classifyTypes,
  field: classifyFields,
  function: classifyFunctions,
  line: classifyLines,
  object: classifyObjects,
  site: classifySites,
  core: classifyCores,
};

function classifyTypes(whole: Profile, { level, function: name }: ViewOptions): MissClassificationRow[] {
  const { profile, keys, label } = splitRows(whole);
  const { tallies, strings } = profile;
  const sort = usualSort(profile);
  const compare = compareRanks(sort);
  const isAsked = selectTallies(profile, { function: name });
  const wholes = [...sumBy(tallies, (row) => (isAsked(row) ? tallies.type[row] : null))]
    .map(([type, sums]) => ({ type, sums, rank: rankSums(sums, label(type)) }))
    .sort((a, b) => compare(a.rank, b.rank));
  const fieldsOfType = new Map<number, FieldSums[]>();
  for (const one of sumFields(profile, isAsked)) {
    if (one.field === NO_INDEX) continue;
    const list = fieldsOfType.get(one.type) ?? [];
    list.push(one);
    fieldsOfType.set(one.type, list);
  }
  const mostAt = mostMisses(profile, (row) => (isAsked(row) ? tallies.type[row] : null));
  const mostOfField = mostMisses(profile, fieldKeys(profile, isAsked));
  return wholes.flatMap(({ type, sums }) => {
    const fields = (fieldsOfType.get(type) ?? []).map(({ key, field, sums: own }) => ({
      rank: rankSums(own, strings[field]),
      row: {
        ...keys(type),
        field: strings[field],
        ...classify(own, profile.machine, level),
        mostMissesAt: mostOfField(key),
      },
    }));
    return [
      { ...keys(type), field: null, ...classify(sums, profile.machine, level), mostMissesAt: mostAt(type) },
      ...sortRanked(fields, sort),
    ];
  });
}

function classifyFields(whole: Profile, { level, function: asked }: ViewOptions): MissClassificationRow[] {
  const { profile, keys, label } = splitRows(whole);
  const { strings } = profile;
  const isAsked = selectTallies(profile, { function: asked });
  const mostAt = mostMisses(profile, fieldKeys(profile, isAsked));
  const ranked = sumFields(profile, isAsked).map(({ key, type, field, sums }) => {
    const fieldName = field === NO_INDEX ? null : strings[field];
    return {
      rank: rankSums(sums, `${label(type)}.${fieldName ?? ''}`),
      row: {
        ...keys(type),
        field: fieldName,
        ...classify(sums, profile.machine, level),
        mostMissesAt: mostAt(key),
      },
    };
  });
  return sortRanked(ranked, usualSort(profile));
}

interface FieldSums {
  readonly key: number;
  readonly type: number;
  readonly field: number;
  readonly sums: CounterSums;
}

/** A number for each type and field. */
function fieldKeys({ tallies, strings }: Profile, isAsked: (row: number) => boolean): (row: number) => number | null {
  return (row) =>
    isAsked(row)
      ? tallies.type[row] * (strings.length + 1) +
        (tallies.field[row] === NO_INDEX ? strings.length : tallies.field[row])
      : null;
}

function sumFields(profile: Profile, isAsked: (row: number) => boolean): FieldSums[] {
  const { tallies, strings } = profile;
  const stride = strings.length + 1;
  return [...sumBy(tallies, fieldKeys(profile, isAsked))].map(([key, sums]) => ({
    key,
    type: Math.floor(key / stride),
    field: key % stride === strings.length ? NO_INDEX : key % stride,
    sums,
  }));
}

function classifyFunctions(profile: Profile, options: ViewOptions): FunctionMissRow[] {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const charges = new Charges(profile);
  const sums = sumBy(tallies, (row) =>
    isAsked(row) ? charges.add(spellFunction(profile, charges.siteOf(row)) ?? '', row) : null,
  );
  return sortRanked(
    [...sums].map(([name, sum]) => ({
      rank: rankSums(sum, name),
      row: { function: name || null, inlined: charges.inlined(name), ...classify(sum, profile.machine, options.level) },
    })),
    usualSort(profile),
  );
}

function classifyLines(profile: Profile, options: ViewOptions): LineMissRow[] {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const { sites, strings } = profile;
  // One function of a line: of two (a macro, two templates) each has its row. By numbers: a name may have anything in
  // it.
  const placeOf = (site: number): string =>
    strings[sites.file[site]] === ''
      ? `- ${sites.function[site]}`
      : `${sites.file[site]} ${sites.line[site]} ${sites.function[site]}`;
  const siteOf = new Map<string, number>();
  const charges = new Charges(profile);
  const sums = sumBy(tallies, (row) => {
    if (!isAsked(row)) return null;
    const site = charges.siteOf(row);
    const place = placeOf(site);
    if (!siteOf.has(place)) siteOf.set(place, site);
    return charges.add(place, row);
  });
  const ranked = [...sums].map(([place, sum]) => {
    const [line, name] = [spellSite(profile, siteOf.get(place)!), spellFunction(profile, siteOf.get(place)!)];
    return {
      rank: rankSums(sum, `${line ?? ''}\n${name ?? ''}`),
      row: {
        line,
        function: name,
        inlined: charges.inlined(place),
        ...classify(sum, profile.machine, options.level),
      },
    };
  });
  return sortRanked(ranked, usualSort(profile));
}

function classifyCores(profile: Profile, options: ViewOptions): CoreMissRow[] {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const ranked = [...sumBy(tallies, (row) => (isAsked(row) ? tallies.core[row] : null))].map(([core, sum]) => ({
    rank: rankSums(sum, String(core).padStart(5, '0')),
    row: { core, ...classify(sum, profile.machine, options.level) },
  }));
  return sortRanked(ranked, usualSort(profile));
}

const FIELDS_PER_TYPE = 6;

/** The subject of a row, by --by. */
const SUBJECTS: Readonly<Record<Exclude<ClassifiedBy, 'site'>, readonly Column<never>[]>> = {
  type: [
    column(
      'name',
      'field',
      'type and field',
      (row: MissClassificationRow) => (row.field === null ? spellRow(row) : `  ${row.field}`),
      {
        brief: 'type',
        shortest: 20,
        all: 'all types',
      },
    ),
  ],
  field: [
    column(
      'name',
      'field',
      'type and field',
      (row: MissClassificationRow) => `${spellRow(row)}${row.field === null ? '' : `.${row.field}`}`,
      { shortest: 20, all: 'all fields' },
    ),
  ],
  function: [name('function', 'function', { nothing: '(unknown)', shortest: 16, all: 'all functions' })],
  line: [
    name('line', 'line', { nothing: '(unknown)', shortest: 20, all: 'all lines' }, 'site'),
    name('in', 'function', { nothing: '', shortest: 8 }),
  ],
  object: [
    name('object', 'object', { all: 'all objects' }),
    name('type', 'type', { shortest: 12 }),
    column('name', 'origin', 'allocated or declared', (row: ObjectMissRow) => spellOrigin(row), {
      brief: 'declared',
      shortest: 12,
      expendable: 1,
    }),
  ],
  core: [column('name', 'core', 'core', ({ core }: CoreMissRow) => `core ${core}`, { all: 'all cores' })],
};

function subjectOf(
  { by = 'type' }: { readonly by?: ClassifiedBy },
  shown: readonly AnyRow[],
): readonly Column<never>[] {
  return by === 'site' ? siteColumns(shown.filter((row) => 'objects' in row)) : SUBJECTS[by];
}

type TypeRow = MissClassificationRow | Sampled<MissClassificationRow>;

function isOfType(row: AnyRow): row is TypeRow {
  return 'field' in row;
}

function isWhole(row: AnyRow): boolean {
  return isOfType(row) && row.field === null;
}

/** The lines of a table that is not by type, with call paths where they were asked for. */
function withPaths(shown: readonly AnyRow[], isAsked: boolean): (AnyRow | readonly string[])[] {
  if (shown.some((row) => 'inlined' in row))
    return chainLines(shown, isAsked, (row) => ('inlined' in row ? (row.inlined ?? []) : []));
  return pathLines<AnyRow>(shown, isAsked, pathsOfRow);
}

function pathsOfRow(row: AnyRow): readonly ShownPath[] {
  if (isOfType(row)) return rowPaths(row);
  return 'callPath' in row ? allocationPaths(row.callPath, row.variable) : [];
}

/** Of rows by type: where most of a row's misses are. Samples do not say it. */
function mostColumns({ by = 'type', sampled }: { readonly by?: ClassifiedBy; readonly sampled?: unknown }) {
  const isShown = sampled === undefined && (by === 'type' || by === 'field');
  return isShown ? [mostMissesColumn<never>({ expendable: 2 })] : [];
}

export const missClassification: ViewDefinition<View<ClassifiedRow>, SampledMissClassification> = {
  build: buildMissClassification,
  sampled: { from: 'samples', rows: sampledMissRows },
  filters: ['type', 'field', 'function', 'minShare'],
  hasLevels: true,
  hasCallPaths: true,
  columns: (view) => [...subjectOf(view, view.rows), ...missColumns(view), ...mostColumns(view)],
  table(view, top) {
    const { by = 'type', sampled } = view;
    const level = LEVEL_NAMES[view.level];
    const rows: readonly AnyRow[] = view.rows;
    const isSampled = sampled !== undefined;
    const isWithPaths = view.withCallPath === true;
    const wholes = by === 'type' ? rows.filter(isWhole) : rows;
    const shown = wholes.slice(0, top);
    const subject = subjectOf(view, shown);
    const counted = `${shown.length} of ${formatCount(wholes.length)} ${by}s that`;
    const title = `miss classification${by === 'type' ? '' : ` by ${by}`}`;
    return {
      ...(isSampled
        ? {
            title: `${title}, SAMPLED: why each ${level} miss happened, by DProf's rule`,
            notes: [`${counted} samples met.`, SAMPLED_NOTE],
          }
        : {
            title: `${title}: why each ${level} miss happened, by ${spellOrder(view)}`,
            notes: [
              `${counted} were referenced; the five classes of a row sum up to its ${level} misses.`,
              "Below, the same misses by the DProf paper's own rule, which knows no compulsory ones.",
            ],
            hasAll: true,
            further: [ruleTable(view, subject, view.rows.filter((row) => by !== 'type' || isWhole(row)).slice(0, top))],
          }),
      columns: [...subject, ...missColumns(view), ...mostColumns(view)],
      lines:
        by !== 'type'
          ? withPaths(shown, isWithPaths)
          : pathLines<TypeRow>(
              nestFields(
                shown.filter(isOfType),
                rows.filter(isOfType),
                (field) => (field.levels[view.level].misses ?? 0) > 0,
                isSampled
                  ? { most: Infinity, countsLeft: null }
                  : { most: FIELDS_PER_TYPE, countsLeft: (left) => `  … ${formatCount(left)} more` },
              ),
              isWithPaths,
              (row) => (isWhole(row) ? rowPaths(row) : []),
            ),
    };
  },
};
