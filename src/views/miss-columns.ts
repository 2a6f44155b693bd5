// Stage: profile -> views. The columns of rows whose misses have classes, whatever the rows stand for: those of the
// miss classification, of one level.

import { plural } from '../base/format-number.js';
import { CLASSES, DPROF_RULES, type LevelName } from '../contract/machine.js';
import { classColumn, LEVEL_NAMES, namedClassColumn } from './class-columns.js';
import { count, share, sumOf, type Column, type ColumnWords } from './columns.js';
import type { Classified } from './level-misses.js';
import type { Sampled } from './row-estimates.js';
import type { SampledView, View } from './view.js';

type Missing = Pick<Classified, 'missLatencyCycles' | 'levels'>;

/** Rows of objects have the sum of these two instead. */
const REFERENCES = ['references.loads', 'references.stores'];
/** Samples may not say which kind one is of. */
const SAMPLED_REFERENCES = [...REFERENCES, 'references.unknown'];

export function missColumns<Row extends Missing>(
  view: View<Row> | SampledView<Sampled<Row>>,
  level: LevelName = 'l1',
): Column<Row | SampledMissing>[] {
  return view.sampled === undefined ? exactColumns(view, level) : sampledColumns(view, level);
}

function leadingColumns<Row>(view: View<unknown> | SampledView<unknown>, level: LevelName): Column<Row>[] {
  const misses = `levels.${level}.misses`;
  const name = LEVEL_NAMES[level];
  return [
    count(`${name} misses`, misses, { all: view.totals.levels[level].misses }),
    share(
      'of all',
      misses,
      { paths: [`totals.${misses}`], envelope: view },
      {
        ...(view.sampled === undefined ? ofAll(view, level) : { tip: `of all ${name} misses` }),
        expendable: 2,
      },
    ),
  ];
}

function ofAll({ totals }: View<unknown>, level: LevelName): ColumnWords {
  const { misses } = totals.levels[level];
  return { meaning: `of ${plural(misses, `${LEVEL_NAMES[level]} miss`)}.`, all: { part: misses, whole: misses } };
}

interface SampledMissing {
  readonly levels: Sampled<Missing>['levels'];
}

function coldColumn<Row>(level: LevelName): Column<Row> {
  return count('cold shared', `levels.${level}.compulsoryShared`, {
    meaning: 'compulsory misses on lines that another core had stored to',
    where: 'page',
  });
}

function cyclesColumn<Row>(all: number | null, where: 'page' | undefined): Column<Row> {
  return count('est. cycles', 'missLatencyCycles', {
    meaning: 'latency of the accesses that missed the L1.',
    all,
    ...(where !== undefined && { where }),
  });
}

function exactColumns<Row extends Missing>(view: View<Row>, level: LevelName): Column<Row>[] {
  const { totals, rows, by, sort, filter } = view;
  // The totals know the classes of docs/definitions.md alone: those of DProf's rule are summed over the types.
  const wholes = rows.filter((row) => !('field' in row) || by !== undefined || row.field === null);
  const sumOfRule = (rule: (typeof DPROF_RULES)[number]): number =>
    wholes.reduce((sum, row) => sum + row.levels.l1.dprofRule[rule], 0);
  return [
    ...leadingColumns(view, level),
    cyclesColumn(totals.missLatencyCycles, sort === 'cycles' ? undefined : 'page'),
    ...CLASSES.map((one) => namedClassColumn<Row>(one, level, view)),
    coldColumn(level),
    count('L2 misses', 'levels.l2.misses', { where: 'text', expendable: 4, all: totals.levels.l2.misses }),
    count('LLC misses', 'levels.llc.misses', { where: 'text', expendable: 5, all: totals.levels.llc.misses }),
    count('references', by === 'object' ? 'references' : REFERENCES, { expendable: 3, all: totals.references }),
    ...DPROF_RULES.map((rule) =>
      count<Row>(`dprof: ${rule}`, `levels.l1.dprofRule.${rule}`, {
        where: 'text',
        expendable: 6,
        ...(rule === 'invalidation' && {
          meaning: "L1 misses by the DProf paper's own rule, which knows no compulsory ones.",
        }),
        ...(filter === undefined && { all: sumOfRule(rule) }),
      }),
    ),
  ];
}

function sampledColumns(view: SampledView<unknown>, level: LevelName): Column<SampledMissing>[] {
  type Row = SampledMissing;
  const columns: Column<Row>[] = [
    ...leadingColumns<Row>(view, level),
    ...CLASSES.map((one) =>
      one === 'compulsory'
        ? classColumn<Row>(one, level, view, { where: 'page' })
        : {
            ...namedClassColumn<Row>(one, level, view),
            isBlank: ({ levels }: Row) => levels[level].classes[one] === 0 && levels[level].misses === 0,
          },
    ),
    {
      ...count<Row>('unclear', `levels.${level}.unclassified`, {
        meaning: `${LEVEL_NAMES[level]} misses that no history explains.`,
        noteRank: -1,
      }),
      isBlank: (row: Row) => (sumOf(row, [`levels.${level}.unclassified`]) ?? 0) === 0,
    },
    coldColumn<Row>(level),
    count<Row>('references', SAMPLED_REFERENCES, { expendable: 3 }),
    cyclesColumn(null, 'page'),
    count<Row>('L2 misses', 'levels.l2.misses', { where: 'text', expendable: 4 }),
    count<Row>('LLC misses', 'levels.llc.misses', { where: 'text', expendable: 5 }),
  ];
  if (view.by !== 'object') return columns;
  // No sample says what a single object missed.
  return columns.map((column, index) => ({ ...column, value: () => (index === 0 ? null : ''), isBlank: () => false }));
}
