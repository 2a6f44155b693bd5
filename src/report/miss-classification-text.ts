// Stage: views -> text. Miss classification as a table: types, under each its fields that miss most; or fields,
// functions, lines, objects, cores.

import { CLASSES, DPROF_RULES, type LevelName } from '../replay/machine.js';
import type { Sort } from '../views/counter-sums.js';
import type {
  ClassifiedRow,
  CoreMissRow,
  FunctionMissRow,
  LineMissRow,
  MissClassificationRow,
} from '../views/miss-classification.js';
import type { ObjectMissRow } from '../views/object-misses.js';
import type { ClassifiedBy, View } from '../views/view.js';
import { formatCount, formatShare, plural } from './format-number.js';
import { briefSite } from './text-lines.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

const FIELDS_PER_TYPE = 6;

export interface Subject {
  readonly many: string;
  readonly columns: readonly TextColumn[];
  readonly spell: (row: ClassifiedRow) => readonly string[];
}

/** What a row stands for, by --by. */
const subjects: Record<ClassifiedBy, Subject> = {
  type: {
    many: 'types',
    columns: [{ heading: 'type and field', brief: 'type', align: 'left', shortest: 20 }],
    spell: (row) => [(row as MissClassificationRow).type],
  },
  field: {
    many: 'fields',
    columns: [{ heading: 'type and field', align: 'left', shortest: 20 }],
    spell: (row) => [spellField(row as MissClassificationRow)],
  },
  function: {
    many: 'functions',
    columns: [{ heading: 'function', align: 'left', shortest: 16 }],
    spell: (row) => [(row as FunctionMissRow).function ?? '(unknown)'],
  },
  line: {
    many: 'lines',
    columns: [
      { heading: 'line', align: 'left', shortest: 20 },
      { heading: 'in', align: 'left', shortest: 8 },
    ],
    spell: (row) => [briefSite((row as LineMissRow).line) ?? '(unknown)', (row as LineMissRow).function ?? ''],
  },
  object: {
    many: 'objects',
    columns: [
      { heading: 'object', align: 'left' },
      { heading: 'type', align: 'left', shortest: 12 },
      { heading: 'allocated or declared', brief: 'declared', align: 'left', shortest: 12, expendable: 1 },
    ],
    spell: (row) => spellObject(row as ObjectMissRow),
  },
  core: {
    many: 'cores',
    columns: [{ heading: 'core', align: 'left' }],
    spell: (row) => [`core ${(row as CoreMissRow).core}`],
  },
};

export function subjectOf(by: ClassifiedBy): Subject {
  return subjects[by];
}

function columnsFor(by: ClassifiedBy, sort: Sort): TextColumn[] {
  return [
    ...subjects[by].columns,
    { heading: 'L1 misses', align: 'right' },
    { heading: 'of all', align: 'right', expendable: 2 },
    ...(sort === 'cycles' ? [{ heading: 'est. cycles', align: 'right' } as const] : []),
    ...CLASSES.map(
      (name): TextColumn => ({
        heading: name.replace('-', ' '),
        brief: name.replace('-sharing', ' sh.'),
        align: 'right',
      }),
    ),
    { heading: 'L2 misses', align: 'right', expendable: 4 },
    { heading: 'LLC misses', align: 'right', expendable: 5 },
    { heading: 'references', align: 'right', expendable: 3 },
    ...DPROF_RULES.map((name): TextColumn => ({ heading: `dprof: ${name}`, align: 'right', expendable: 6 })),
  ];
}

export function missClassificationSection(view: View<ClassifiedRow>, top: number, width: number): TextSection {
  const { by = 'type', sort = 'misses' } = view;
  const { l1 } = view.totals.levels;
  const isTyped = by === 'type';
  const subject = subjects[by];
  const columns = columnsFor(by, sort);
  const cells = (row: ClassifiedRow, name: readonly string[]): string[] => cellsOf(row, name, l1.misses, sort);
  const whole = isTyped ? view.rows.filter((row) => (row as MissClassificationRow).field === null) : view.rows;
  const shown = whole.slice(0, top);
  const fields = isTyped
    ? fieldsOfTypes(view.rows as readonly MissClassificationRow[])
    : new Map<string, MissClassificationRow[]>();
  const rows = shown.flatMap((row) => {
    const own = fields.get((row as MissClassificationRow).type) ?? [];
    const missing = own.filter((field) => field.levels.l1.misses > 0).slice(0, FIELDS_PER_TYPE);
    const left = own.length - missing.length;
    const lines = [cells(row, subject.spell(row)), ...missing.map((field) => cells(field, [`  ${field.field}`]))];
    return left === 0 || missing.length === 0 ? lines : [...lines, [`  … ${formatCount(left)} more`]];
  });
  // DProf's classes are summed over what the rows say: the totals know only those of docs/definitions.md.
  const ruleSums = DPROF_RULES.map((name) => whole.reduce((sum, row) => sum + row.levels.l1.dprofRule[name], 0));
  const cycles = sort === 'cycles' ? [formatCount(view.totals.missLatencyCycles)] : [];
  rows.push([
    `all ${subject.many}`,
    ...subject.columns.slice(1).map(() => ''),
    formatCount(l1.misses),
    formatShare(l1.misses, l1.misses),
    ...cycles,
    ...CLASSES.map((name) => formatCount(l1.classes[name])),
    ...totalCells(view),
    ...(view.filter === undefined ? ruleSums.map(formatCount) : []),
  ]);
  return {
    title: `miss classification${isTyped ? '' : ` by ${by}`}: why each L1 miss happened`,
    body: renderTable(columns, rows, width),
    notes: [
      [
        '',
        `${shown.length} of ${formatCount(whole.length)} ${subject.many} that were referenced; the five classes of a row sum up to its L1 misses.`,
      ],
      ['of all', `of ${plural(l1.misses, 'L1 miss')}.`],
      ['est. cycles', 'latency of the accesses that missed the L1.'],
      ['compulsory', "this core's first reference to the line."],
      ['true sharing', 'another core stored to these bytes since.'],
      ['true sh.', 'true sharing, another core stored to these bytes since.'],
      ['false sharing', 'another core stored to other bytes of the line since.'],
      ['false sh.', 'false sharing, another core stored to other bytes of the line since.'],
      ['conflict', 'a fully associative L1 would have hit.'],
      ['dprof: invalidation', "L1 misses by the DProf paper's own rule, which knows no compulsory ones."],
    ],
  };
}

export function fieldsOfTypes(rows: readonly MissClassificationRow[]): Map<string, MissClassificationRow[]> {
  const groups = new Map<string, MissClassificationRow[]>();
  for (const row of rows) {
    if (row.field === null) groups.set(row.type, []);
    else groups.get(row.type)?.push(row);
  }
  return groups;
}

function cellsOf(row: ClassifiedRow, name: readonly string[], missesOfAll: number, sort: Sort): string[] {
  const misses = (level: LevelName): string => formatCount(row.levels[level].misses);
  const { l1 } = row.levels;
  const { references } = row;
  return [
    ...name,
    misses('l1'),
    formatShare(l1.misses, missesOfAll),
    ...(sort === 'cycles' ? [formatCount(row.missLatencyCycles)] : []),
    ...CLASSES.map((name) => formatCount(l1.classes[name])),
    misses('l2'),
    misses('llc'),
    formatCount(typeof references === 'number' ? references : references.loads + references.stores),
    ...DPROF_RULES.map((name) => formatCount(l1.dprofRule[name])),
  ];
}

function totalCells({ totals }: View<unknown>): string[] {
  return [formatCount(totals.levels.l2.misses), formatCount(totals.levels.llc.misses), formatCount(totals.references)];
}

function spellField({ type, field }: MissClassificationRow): string {
  return field === null ? type : `${type}.${field}`;
}

function spellObject({ object, type, variable, site, function: name }: ObjectMissRow): string[] {
  return [object ?? '-', type, [variable ?? name, briefSite(site)].filter((part) => part !== null).join(' ')];
}
