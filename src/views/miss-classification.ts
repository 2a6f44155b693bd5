// Stage: profile -> views. Miss classification: the class of every miss at every level, per type and under it per
// field, or per field, function, line, object or core.

import { formatCount } from '../base/format-number.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, name, type Column } from './columns.js';
import { compareRanks, type CounterSums, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { pathLines, type PathFrame } from './frames.js';
import { classify } from './level-misses.js';
import { missColumns, ruleTable } from './miss-columns.js';
import { classifyObjects, type ObjectMissRow } from './object-misses.js';
import { classifySites, type SiteMissRow } from './site-misses.js';
import { selectTallies } from './row-filter.js';
import type { Sampled } from './row-estimates.js';
import { sampledMissRows } from './sampled-miss-rows.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import { spellOrder } from './sort-rows.js';
import { Charges } from './charges.js';
import { spellFunction, spellOrigin, spellSite } from './sites.js';
import { spellRow, splitRows } from './split-rows.js';
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
  const fieldsOfType = new Map<number, { field: number; sums: CounterSums }[]>();
  for (const { type, field, sums } of sumFields(profile, isAsked)) {
    if (field === NO_INDEX) continue;
    const list = fieldsOfType.get(type) ?? [];
    list.push({ field, sums });
    fieldsOfType.set(type, list);
  }
  return wholes.flatMap(({ type, sums }) => {
    const fields = (fieldsOfType.get(type) ?? []).map(({ field, sums: own }) => ({
      rank: rankSums(own, strings[field]),
      row: { ...keys(type), field: strings[field], ...classify(own, profile.machine, level) },
    }));
    return [{ ...keys(type), field: null, ...classify(sums, profile.machine, level) }, ...sortRanked(fields, sort)];
  });
}

function classifyFields(whole: Profile, { level, function: asked }: ViewOptions): MissClassificationRow[] {
  const { profile, keys, label } = splitRows(whole);
  const { strings } = profile;
  const ranked = sumFields(profile, selectTallies(profile, { function: asked })).map(({ type, field, sums }) => {
    const fieldName = field === NO_INDEX ? null : strings[field];
    return {
      rank: rankSums(sums, `${label(type)}.${fieldName ?? ''}`),
      row: { ...keys(type), field: fieldName, ...classify(sums, profile.machine, level) },
    };
  });
  return sortRanked(ranked, usualSort(profile));
}

function sumFields(
  { tallies, strings }: Profile,
  isAsked: (row: number) => boolean,
): { type: number; field: number; sums: CounterSums }[] {
  const stride = strings.length + 1;
  const sums = sumBy(tallies, (row) =>
    isAsked(row)
      ? tallies.type[row] * stride + (tallies.field[row] === NO_INDEX ? strings.length : tallies.field[row])
      : null,
  );
  return [...sums].map(([key, sum]) => ({
    type: Math.floor(key / stride),
    field: key % stride === strings.length ? NO_INDEX : key % stride,
    sums: sum,
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
const SUBJECTS: Readonly<Record<ClassifiedBy, readonly Column<never>[]>> = {
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
  site: [
    name('type', 'type', { shortest: 12, all: 'all sites' }),
    column('name', 'receiver', 'received by', ({ receiver, variable }: SiteMissRow) => receiver ?? variable, {
      nothing: '-',
      shortest: 8,
    }),
    name('at', 'site', { nothing: '(unknown)', shortest: 14 }, 'site'),
    name('in', 'function', { nothing: '', shortest: 8, expendable: 3 }),
    count('objects', 'objects'),
    count('bytes', 'bytes', { meaning: 'of all its objects.', expendable: 2 }),
  ],
  core: [column('name', 'core', 'core', ({ core }: CoreMissRow) => `core ${core}`, { all: 'all cores' })],
};

type TypeRow = MissClassificationRow | Sampled<MissClassificationRow>;

function isOfType(row: AnyRow): row is TypeRow {
  return 'field' in row;
}

function isWhole(row: AnyRow): boolean {
  return isOfType(row) && row.field === null;
}

/** Of a function or line, what was inlined there. */
function pathOfRow(row: AnyRow): readonly PathFrame[] {
  return 'callPath' in row ? (row.callPath ?? []) : 'inlined' in row ? (row.inlined as readonly PathFrame[]) : [];
}

export const missClassification: ViewDefinition<View<ClassifiedRow>, SampledMissClassification> = {
  build: buildMissClassification,
  sampled: { from: 'samples', rows: sampledMissRows },
  filters: ['type', 'field', 'function', 'minShare'],
  hasLevels: true,
  columns: (view) => [...SUBJECTS[view.by ?? 'type'], ...missColumns(view)],
  table(view, top) {
    const { by = 'type', sampled } = view;
    const level = LEVEL_NAMES[view.level];
    const rows: readonly AnyRow[] = view.rows;
    const isSampled = sampled !== undefined;
    const subject = SUBJECTS[by];
    const wholes = by === 'type' ? rows.filter(isWhole) : rows;
    const shown = wholes.slice(0, top);
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
      columns: [...subject, ...missColumns(view)],
      lines:
        by !== 'type'
          ? pathLines(shown, view.withCallPath === true, pathOfRow)
          : nestFields(
              shown.filter(isOfType),
              rows.filter(isOfType),
              (field) => (field.levels[view.level].misses ?? 0) > 0,
              isSampled
                ? { most: Infinity, countsLeft: null }
                : { most: FIELDS_PER_TYPE, countsLeft: (left) => `  … ${formatCount(left)} more` },
            ),
    };
  },
};
