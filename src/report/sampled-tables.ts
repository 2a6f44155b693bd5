// Stage: views -> text. Data profile, miss classification and functions from samples as tables: each number with its
// interval.

import type { Interval } from '../base/intervals.js';
import { CLASSES, type LevelName, type MissClass } from '../replay/machine.js';
import type { DataProfile, DataProfileRow } from '../views/data-profile.js';
import type { Functions, FunctionRow } from '../views/functions.js';
import type { Classified } from '../views/level-misses.js';
import type { ClassifiedRow, MissClassificationRow } from '../views/miss-classification.js';
import type { View } from '../views/view.js';
import { formatEstimate, formatEstimatedShare, formatMean } from './format-estimate.js';
import { formatBytes, formatCount } from './format-number.js';
import { fieldsOfTypes, subjectOf } from './miss-classification-text.js';
import { sampledTotals } from './sampled-lines.js';
import { renderTable, type TextColumn } from './text-table.js';
import type { TextSection } from './text-report.js';

/**
 * What a row from samples has beside the others; an interval that no sample can say is not there, nor are groups of
 * such.
 */
interface Sampled {
  readonly intervals: {
    readonly total: Record<'references' | `${LevelName}Misses`, Interval>;
    readonly share?: { readonly ofL1Misses?: Interval; readonly missRate?: Interval };
    readonly averageLatencyCycles?: Interval | null;
    readonly servedBy?: Readonly<Record<string, Interval>>;
    readonly missLatencyCycles?: Interval;
    readonly levels?: Partial<
      Record<LevelName, { readonly classes?: Partial<Record<MissClass, Interval>>; readonly unclassified?: Interval }>
    >;
  };
}

type Kinds = { readonly loads: number | null; readonly stores: number | null; readonly unknown?: number };

/** null: of one no sample says it, and of the other there was none. */
function both({ loads, stores, unknown = 0 }: Kinds): number | null {
  const known = (loads ?? 0) + (stores ?? 0) + unknown;
  return known === 0 && (loads === null || stores === null) ? null : known;
}

function shareOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** Of those whose outcome is known. */
function knownReferences(
  references: number | null,
  unknown: Partial<Record<LevelName, Kinds>> | undefined,
  kindUnknown: number | undefined,
): number {
  return (references ?? 0) - (both(unknown?.l1 ?? { loads: 0, stores: 0 }) ?? 0) - (kindUnknown ?? 0);
}

const NOTES: TextSection['notes'] = [
  [
    '',
    '~ is an estimate, ± its interval, in percent of it (of shares in points); <: no sample met it, and it is likely below; -: no sample can say it.',
  ],
  ['miss rate', 'L1 misses per reference, of those of which a sample says whether they missed.'],
  ['unclear', 'L1 misses that no history explains.'],
];

const profileColumns: readonly TextColumn[] = [
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right' },
  { heading: 'miss rate', align: 'right', expendable: 1 },
  { heading: 'references', align: 'right', expendable: 2 },
  { heading: 'L2 misses', align: 'right', expendable: 3 },
  { heading: 'LLC misses', align: 'right', expendable: 5 },
  { heading: 'c2c', align: 'right', expendable: 6 },
  { heading: 'cycles', align: 'right', expendable: 4 },
  { heading: 'live', align: 'right', expendable: 8 },
  { heading: 'working set', align: 'right', expendable: 7 },
  { heading: 'cores', align: 'left', expendable: 9 },
];

export function sampledDataProfile(view: DataProfile, top: number, width: number): TextSection {
  const met = view.rows.filter((row) => (both(row.references as Kinds) ?? 0) > 0);
  const shown = met.slice(0, top);
  const allMisses = sampledTotals(view).levels.l1.misses;
  return {
    title: 'data profile, SAMPLED: types by L1 misses',
    body: renderTable(
      profileColumns,
      shown.map((row) => profileCells(row as DataProfileRow & Sampled, allMisses)),
      width,
    ),
    notes: [
      ['', `${shown.length} of ${met.length} types that samples met.`],
      ...NOTES,
      ['c2c', "served by another core's cache."],
      ['cycles', 'average latency, of what says its latency.'],
      ['live', 'most objects at once: counted, exact.'],
      ['working set', 'average bytes of live objects: counted, exact.'],
      ['cores', 'bounce = a sampled object was met on two CPUs; write-shared = a line of one, by a store among them.'],
    ],
  };
}

function profileCells(row: DataProfileRow & Sampled, allMisses: number | null): string[] {
  const { intervals } = row;
  const level = (name: LevelName): number | null => both(row.misses[name]);
  const references = both(row.references as Kinds);
  const { unknown } = row as { unknown?: Partial<Record<LevelName, Kinds>> };
  const known = knownReferences(references, unknown, (row.references as Kinds).unknown);
  return [
    row.type,
    formatEstimate(level('l1'), intervals.total.l1Misses),
    formatEstimatedShare(shareOf(level('l1'), allMisses), intervals.share?.ofL1Misses),
    formatEstimatedShare(shareOf(level('l1'), known), intervals.share?.missRate),
    formatEstimate(references, intervals.total.references),
    formatEstimate(level('l2'), intervals.total.l2Misses),
    formatEstimate(level('llc'), intervals.total.llcMisses),
    formatEstimate(row.servedBy.cache, intervals.servedBy?.cache),
    formatMean(row.averageLatencyCycles, intervals.averageLatencyCycles),
    row.liveObjects === null ? '-' : formatCount(row.liveObjects),
    row.workingSetBytes === null ? '-' : formatBytes(row.workingSetBytes),
    [row.bounce && 'bounce', row.writeShared && 'write-shared'].filter(Boolean).join(' '),
  ];
}

export function sampledMissClassification(view: View<ClassifiedRow>, top: number, width: number): TextSection {
  const { by = 'type' } = view;
  const subject = subjectOf(by);
  const isTyped = by === 'type';
  const found = CLASSES.filter((name) => name !== 'compulsory');
  const columns: TextColumn[] = [
    ...subject.columns,
    { heading: 'L1 misses', align: 'right' },
    { heading: 'of all', align: 'right', expendable: 2 },
    ...found.map(
      (name): TextColumn => ({
        heading: name.replace('-', ' '),
        brief: name.replace('-sharing', ' sh.'),
        align: 'right',
      }),
    ),
    { heading: 'unclear', align: 'right' },
    { heading: 'references', align: 'right', expendable: 3 },
    { heading: 'L2 misses', align: 'right', expendable: 4 },
    { heading: 'LLC misses', align: 'right', expendable: 5 },
  ];
  const allMisses = sampledTotals(view).levels.l1.misses;
  const cells = (row: ClassifiedRow, name: readonly string[]): string[] => [
    ...name,
    ...classifiedCells(row as unknown as Classified & Sampled, allMisses),
  ];
  const whole = isTyped ? view.rows.filter((row) => (row as MissClassificationRow).field === null) : view.rows;
  const shown = whole.slice(0, top);
  const fields = isTyped
    ? fieldsOfTypes(view.rows as readonly MissClassificationRow[])
    : new Map<string, MissClassificationRow[]>();
  const rows = shown.flatMap((row) => [
    cells(row, subject.spell(row)),
    ...(fields.get((row as MissClassificationRow).type) ?? [])
      .filter((field) => field.levels.l1.misses > 0)
      .map((field) => cells(field, [`  ${field.field}`])),
  ]);
  return {
    title: `miss classification${isTyped ? '' : ` by ${by}`}, SAMPLED: why each L1 miss happened, by DProf's rule`,
    body: renderTable(columns, rows, width),
    notes: [
      ['', `${shown.length} of ${formatCount(whole.length)} ${subject.many} that samples met.`],
      ...NOTES,
      [
        'conflict',
        "of what no other core caused, the share of the type's lines that lie in crowded sets of the simulated L1.",
      ],
    ],
  };
}

function classifiedCells(
  row: Classified & Sampled & { readonly levels: Classified['levels'] },
  allMisses: number | null,
): string[] {
  const { intervals } = row;
  if (intervals.total === undefined) return [formatEstimate(null)]; // a single object
  const { l1 } = row.levels;
  const unclassified = (l1 as { unclassified?: number }).unclassified ?? 0;
  return [
    formatEstimate(l1.misses, intervals.total.l1Misses),
    formatEstimatedShare(shareOf(l1.misses, allMisses), intervals.share?.ofL1Misses),
    ...CLASSES.filter((name) => name !== 'compulsory').map((name) =>
      l1.classes[name] === 0 && l1.misses === 0
        ? ''
        : formatEstimate(l1.classes[name], intervals.levels?.l1?.classes?.[name]),
    ),
    unclassified === 0 ? '' : formatEstimate(unclassified, intervals.levels?.l1?.unclassified),
    formatEstimate(both(row.references as Kinds), intervals.total.references),
    formatEstimate(row.levels.l2.misses, intervals.total.l2Misses),
    formatEstimate(row.levels.llc.misses, intervals.total.llcMisses),
  ];
}

const functionColumns: readonly TextColumn[] = [
  { heading: 'function', align: 'left', shortest: 16 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'of all', align: 'right' },
  { heading: 'est. cycles', align: 'right', expendable: 1 },
  { heading: 'references', align: 'right', expendable: 2 },
  { heading: 'miss rate', align: 'right', expendable: 3 },
  { heading: 'cycles', align: 'right', expendable: 4 },
];

export function sampledFunctions(view: Functions, top: number, width: number): TextSection {
  const allMisses = sampledTotals(view).levels.l1.misses;
  const shown = view.rows.slice(0, top) as unknown as readonly (FunctionRow &
    Sampled & { readonly averageLatencyCycles: number | null; readonly unknown?: Partial<Record<LevelName, Kinds>> })[];
  const lines = shown.map((row) => {
    const references = both(row.references as Kinds);
    const known = knownReferences(references, row.unknown, (row.references as Kinds).unknown);
    const { intervals } = row;
    return [
      row.function ?? '(unknown)',
      formatEstimate(row.levels.l1.misses, intervals.total.l1Misses),
      formatEstimatedShare(shareOf(row.levels.l1.misses, allMisses), intervals.share?.ofL1Misses),
      formatEstimate(row.missLatencyCycles, intervals.missLatencyCycles),
      formatEstimate(references, intervals.total.references),
      formatEstimatedShare(shareOf(row.levels.l1.misses, known), intervals.share?.missRate),
      formatMean(row.averageLatencyCycles, intervals.averageLatencyCycles),
    ];
  });
  return {
    title: 'functions, SAMPLED: the code profile, by L1 misses',
    body: renderTable(functionColumns, lines, width),
    notes: [
      ['', `${shown.length} of ${formatCount(view.rows.length)} functions that samples met.`],
      ...NOTES,
      ['est. cycles', 'latency of the L1 misses that say it.'],
      ['cycles', 'average latency, of what says its latency.'],
    ],
  };
}
