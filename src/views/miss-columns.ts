// Stage: profile -> views. The columns of rows whose misses have classes, whatever the rows stand for: those of the
// miss classification, of one level.

import { CLASSES, DPROF_RULES, LEVELS, type LevelName } from '../contract/machine.js';
import { classColumn, namedClassColumn } from './class-columns.js';
import { LEVEL_NAMES } from './class-names.js';
import { count, share, sumOf, type Column } from './columns.js';
import { cycleColumns } from './cost-columns.js';
import type { Classified } from './level-misses.js';
import type { Sampled } from './row-estimates.js';
import type { SampledView, View } from './view.js';
import type { Table } from './view-definition.js';

type Missing = Pick<Classified, 'missLatencyCycles' | 'levels'>;

/** Rows of objects have the sum of these two instead. */
const REFERENCES = ['references.loads', 'references.stores'];
/** Samples may not say which kind one is of. */
const SAMPLED_REFERENCES = [...REFERENCES, 'references.unknown'];

export function missColumns<Row extends Missing>(
  view: View<Row> | SampledView<Sampled<Row>>,
  level: LevelName = view.level,
): Column<Row | SampledMissing>[] {
  return view.sampled === undefined ? exactColumns(view, level) : sampledColumns(view, level);
}

function leadingColumns<Row>(view: View<unknown> | SampledView<unknown>, level: LevelName): Column<Row>[] {
  const misses = `levels.${level}.misses`;
  const name = LEVEL_NAMES[level];
  return [
    count(`${name} misses`, misses, { all: view.totals.levels[level].misses }),
    ...(view.sampled === undefined
      ? []
      : [
          share<Row>(
            'of all',
            misses,
            { paths: [`totals.${misses}`], envelope: view },
            { tip: `of all ${name} misses`, expendable: 2 },
          ),
        ]),
  ];
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

function exactColumns<Row extends Missing>(view: View<Row>, level: LevelName): Column<Row>[] {
  const { totals, rows, by, filter } = view;
  // The totals know the classes of docs/definitions.md alone: those of DProf's rule are summed over the types.
  const wholes = rows.filter((row) => !('field' in row) || by !== undefined || row.field === null);
  const sumOfRule = (rule: (typeof DPROF_RULES)[number]): number =>
    wholes.reduce((sum, row) => sum + row.levels[level].dprofRule[rule], 0);
  return [
    ...cycleColumns<Row>(view, { number: 1, ofAll: 2 }),
    ...leadingColumns<Row>(view, level),
    ...CLASSES.map((one) => ({ ...namedClassColumn<Row>(one, level, view), isNoneLeftOut: true as const })),
    coldColumn(level),
    ...LEVELS.filter((one) => one !== level).map((one, index) =>
      count<Row>(`${LEVEL_NAMES[one]} misses`, `levels.${one}.misses`, {
        where: 'text',
        expendable: 4 + index,
        all: totals.levels[one].misses,
      }),
    ),
    count('references', by === 'object' || by === 'site' ? 'references' : REFERENCES, {
      expendable: 3,
      all: totals.references,
    }),
    ...DPROF_RULES.map((rule) =>
      count<Row>(`dprof: ${rule}`, `levels.${level}.dprofRule.${rule}`, {
        where: 'page',
        meaning: DPROF_RULE,
        ...(filter === undefined && { all: sumOfRule(rule) }),
      }),
    ),
  ];
}

const DPROF_RULE = "misses by the DProf paper's own rule, which knows no compulsory ones";

/** The text's second table: the same misses by DProf's rule. */
export function ruleTable<Row extends Missing>(
  view: View<Row>,
  subject: readonly Column<Row>[],
  lines: readonly Row[],
): Table<Row> {
  const { level } = view;
  const [name, ...others] = subject;
  const rules = exactColumns(view, level).filter(({ id }) => id.includes('.dprofRule.'));
  return {
    columns: [
      { ...name, heading: "by DProf's rule", brief: "by DProf's rule" },
      ...others,
      ...leadingColumns<Row>(view, level),
      ...rules.map((one): Column<Row> => ({ ...one, heading: one.heading.replace('dprof: ', ''), where: 'text' })),
    ],
    lines,
    hasAll: true,
  };
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
    count<Row>('est. cycles', 'missLatencyCycles', {
      meaning: 'latency of the accesses that missed the L1.',
      where: 'page',
    }),
    count<Row>('L2 misses', 'levels.l2.misses', { where: 'text', expendable: 4 }),
    count<Row>('LLC misses', 'levels.llc.misses', { where: 'text', expendable: 5 }),
  ];
  if (view.by !== 'object') return columns;
  // No sample says what a single object missed.
  return columns.map((column, index) => ({ ...column, value: () => (index === 0 ? null : ''), isBlank: () => false }));
}
