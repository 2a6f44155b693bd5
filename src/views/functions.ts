// Stage: profile -> views. Functions: the code profile, for contrast: what each function referenced, missed and cost,
// whatever the data was.

import { formatCount } from '../base/format-number.js';
import type { Profile } from '../profile/profile.js';
import { CLASSES, type LevelName } from '../contract/machine.js';
import { chainLines, Charges } from './charges.js';
import { classColumn } from './class-columns.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, measure, name as named, share, type Column, type ColumnWords } from './columns.js';
import { costliestColumn, cycleColumns } from './cost-columns.js';
import { CounterSums, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify } from './level-misses.js';
import { selectTallies } from './row-filter.js';
import { spellOrder } from './sort-rows.js';
import { spellFunction } from './sites.js';
import { missColumns } from './miss-columns.js';
import type { Sampled } from './row-estimates.js';
import { RunTimes, timeColumn, type WithRunCycles } from './run-time.js';
import { sampledFunctionRows } from './sampled-miss-rows.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import { FILTERS, type SampledView, type View, type ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import type { FunctionRow } from './miss-rows.js';

export type Functions = View<FunctionRow>;
export type SampledFunctions = SampledView<Sampled<FunctionRow>>;
type AnyRow = FunctionRow | Sampled<FunctionRow>;

export function buildFunctions(profile: Profile, options: ViewOptions = {}): Functions {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const charges = new Charges(profile);
  const nameOf = (row: number): string | null =>
    isAsked(row) ? (spellFunction(profile, charges.siteOf(row)) ?? '') : null;
  const charged: (string | null)[] = [];
  const chargeTo = (row: number): string | null => {
    const name = nameOf(row);
    return (charged[row] = name === null ? null : charges.add(name, row));
  };
  const times = new RunTimes(profile, options.cpi);
  const types = new Map<string, { all: Set<number>; missed: Set<number> }>();
  const missed = sumBy(tallies, (row) => (nameOf(row) === null ? null : `${tallies.type[row]} ${nameOf(row)}`));
  for (const [key, sums] of missed) {
    const blank = key.indexOf(' ');
    const [type, name] = [Number(key.slice(0, blank)), key.slice(blank + 1)];
    const own = types.get(name) ?? { all: new Set(), missed: new Set() };
    types.set(name, own);
    own.all.add(type);
    if (sums.misses('l1') > 0) own.missed.add(type);
  }
  const sums = sumBy(tallies, chargeTo);
  const timeOf = times.by((row) => charged[row], { compute: true });
  const rowOf = (name: string, sums: CounterSums, time: WithRunCycles) => ({
    rank: rankSums(sums, name),
    row: {
      function: name || null,
      inlined: charges.inlined(name),
      ...classify(sums, profile.machine, options.level),
      latencyCycles: sums.get('latencyCycles'),
      types: types.get(name)?.all.size ?? 0,
      typesMissed: types.get(name)?.missed.size ?? 0,
      ...time,
    },
  });
  const isFiltered = FILTERS.some((filter) => filter !== 'minShare' && options[filter] !== undefined);
  const ranked = [
    ...[...sums].map(([name, own]) => rowOf(name, own, timeOf(name))),
    ...(isFiltered ? [] : times.others()).map(([name, time]) => rowOf(name, new CounterSums(), time)),
  ];
  return times.addTo(
    wrapRows(profile, 'functions', sortRanked(ranked, usualSort(profile)), {
      level: options.level,
      callPath: options.callPath,
    }),
  );
}

const MISSES = 'levels.l1.misses';
const REFERENCES = ['references.loads', 'references.stores'];
/** Samples may not say which kind one is of. */
const SAMPLED_REFERENCES = [...REFERENCES, 'references.unknown'];
/** References of which no sample says whether they missed the L1. */
const UNCLEAR = ['unknown.l1.loads', 'unknown.l1.stores', 'references.unknown'];

const NAME: Column<AnyRow> = named('function', 'function', {
  shortest: 16,
  width: 34,
  nothing: '(unknown)',
  all: 'all functions',
});

/** The columns of a page, with the classes of the misses of a level. */
export function functionColumns(view: Functions | SampledFunctions, level: LevelName): Column<AnyRow>[] {
  return [
    NAME,
    ...timeColumns(view),
    ...missColumns<FunctionRow>(view, level),
    count('cycles', 'latencyCycles', { meaning: 'of all its references, hits included' }),
    count('types', 'types', { meaning: 'that it referenced' }),
    count('types missed', 'typesMissed', { meaning: 'that it missed the L1 on' }),
  ];
}

function textColumns(view: Functions | SampledFunctions): Column<AnyRow>[] {
  if (view.sampled === undefined) return [NAME, ...(exactColumns(view) as Column<AnyRow>[])];
  const ofAll = { paths: ['totals.levels.l1.misses'], envelope: view };
  return [
    NAME,
    count('L1 misses', MISSES, { all: view.totals.levels.l1.misses }),
    share('of all', MISSES, ofAll),
    ...SAMPLED_COLUMNS,
  ];
}

function missRate(references: readonly string[], words: ColumnWords): Column<AnyRow> {
  return share('miss rate', MISSES, { paths: references, without: UNCLEAR }, words);
}

function timeColumns<Row extends AnyRow>(view: Functions | SampledFunctions): Column<Row>[] {
  if (view.sampled !== undefined) return [];
  return timeColumn<FunctionRow>(view, "the function's instructions and misses") as Column<Row>[];
}

function exactColumns(view: Functions): Column<FunctionRow>[] {
  const { totals, level } = view;
  const misses = (one: LevelName, expendable?: number): Column<FunctionRow> =>
    count(`${LEVEL_NAMES[one]} misses`, `levels.${one}.misses`, {
      all: totals.levels[one].misses,
      ...(expendable !== undefined && one !== level && { expendable }),
    });
  return [
    ...timeColumns(view),
    ...cycleColumns<FunctionRow>(view, { ofAll: 1 }),
    costliestColumn<FunctionRow>(view),
    misses('l1'),
    misses('l2', 3),
    misses('llc', 6),
    count('references', REFERENCES, { expendable: 2, all: totals.references }),
    missRate(REFERENCES, {
      meaning: 'L1 misses per reference of the function.',
      noteRank: 1,
      expendable: 4,
      all: { part: totals.levels.l1.misses, whole: totals.references },
    }),
    column('cycles', 'averageLatencyCycles', 'latency', averageCycles, {
      meaning: 'average of a reference, in cycles.',
      expendable: 5,
      all: totals.references === 0 ? '-' : totals.latencyCycles / totals.references,
    }),
    // All five or none: one class alone says little.
    ...CLASSES.map((one) => classColumn<FunctionRow>(one, level, view, { where: 'roomy' })),
    column('words', 'types', 'types', ({ types, typesMissed }: FunctionRow) => `${typesMissed} of ${types}`, {
      meaning: 'that it missed on, of those it referenced.',
      noteRank: 1,
      align: 'right',
      expendable: 7,
    }),
  ];
}

function averageCycles({ references: { loads, stores }, latencyCycles }: FunctionRow): number | null {
  return loads + stores === 0 ? null : latencyCycles / (loads + stores);
}

const SAMPLED_COLUMNS: readonly Column<AnyRow>[] = [
  count('est. cycles', 'missLatencyCycles', { meaning: 'latency of the L1 misses that say it.', expendable: 1 }),
  count('references', SAMPLED_REFERENCES, { expendable: 2 }),
  missRate(SAMPLED_REFERENCES, {
    meaning: 'L1 misses per reference, of those of which a sample says whether they missed.',
    noteRank: -1,
    expendable: 3,
  }),
  measure('cycles', 'latency', 'averageLatencyCycles', {
    meaning: 'average, of what says its latency.',
    expendable: 4,
  }),
];

export const functions: ViewDefinition<Functions, SampledFunctions> = {
  build: buildFunctions,
  sampled: { from: 'samples', rows: sampledFunctionRows },
  filters: ['type', 'field', 'function', 'minShare'],
  hasLevels: true,
  hasCallPaths: true,
  columns: (view) => [...textColumns(view), ...functionColumns(view, view.level)],
  table(view, top) {
    const { rows, sampled } = view;
    const shown = rows.slice(0, top);
    const counted = `${shown.length} of ${formatCount(rows.length)} functions`;
    return {
      ...(sampled === undefined
        ? {
            title: `functions: the code profile, by ${spellOrder(view)}; misses of the ${LEVEL_NAMES[view.level]}`,
            notes: [`${counted}; one that is inlined from a header counts as its caller (--innermost: as itself).`],
            hasAll: true,
          }
        : {
            title: 'functions, SAMPLED: the code profile, by L1 misses',
            notes: [`${counted} that samples met.`, SAMPLED_NOTE],
          }),
      columns: textColumns(view),
      lines: chainLines<AnyRow>(shown, view.withCallPath === true, ({ inlined }) => inlined ?? []),
    };
  },
};
