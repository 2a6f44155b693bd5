// Stage: diff -> text. Two runs compared, as tables: the sums, what changed per type and field, what became of the
// objects.

import type { BeforeAfter, CountChange, Work } from '../diff/change.js';
import { hasChanged, haveObjectsChanged, mostChangedClass } from '../diff/changed.js';
import type { Diff, DiffSide } from '../diff/diff.js';
import { SORT_NAMES } from '../diff/rank.js';
import type { TypeChangeRow } from '../diff/type-changes.js';
import { CLASSES, type MissClass } from '../contract/machine.js';
import { formatBytes, formatChange, formatCount, formatRate, plural } from '../base/format-number.js';
import { formatBrief } from '../base/format-estimate.js';
import { describeMachine } from './machine-line.js';
import { pathChangesSection } from './path-changes-text.js';
import { describeSamples } from './sampled-lines.js';
import { renderLabelled, shorten, wrap, type Labelled } from './text-lines.js';
import type { TextOptions } from './text-report.js';
import { layOutTable, renderTable, type TextColumn } from './text-table.js';
import { describeWork } from './work-line.js';

const FIELDS_PER_TYPE = 6;

interface Section {
  readonly title: string;
  readonly body: string;
  readonly notes: readonly string[];
}

export function renderDiff(diff: Diff, { top, style }: TextOptions): string {
  const { width } = style;
  const paths = diff.paths && pathChangesSection(diff.paths, diff.per, top, width);
  const sections = [
    totalsSection(diff, width),
    typesSection(diff, top, width),
    objectsSection(diff, top, width),
    paths,
  ].filter((section) => section !== null);
  const parts = [renderLabelled(headLines(diff, width), width)];
  for (const { title, body, notes } of sections) {
    const prose = notes.length === 0 ? [] : wrap(notes.join(' '), width - 2).map((line) => style.faint(`  ${line}`));
    parts.push([style.strong(title), body, ...prose].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function headLines({ before, after, madeDifferently, per }: Diff, width: number): Labelled[] {
  const side = (
    label: string,
    { name, command, ended, truncated, threads, machine, schedule, totals, sampled }: DiffSide,
  ): Labelled[] => {
    const counted =
      sampled === undefined
        ? `schedule ${schedule}; ${plural(totals.references, 'reference')} in ` +
          `${plural(totals.instructions, 'instruction')} of replay time`
        : `SAMPLED, ${describeSamples(sampled)}`;
    return [
      [
        label,
        `${name}: ${shorten(command.join(' '), Math.max(40, width - 40))} (${ended}` +
          `${truncated ? '; TRUNCATED' : ''}); ${describeMachine(machine)}; ${plural(threads, 'thread')}, ${counted}`,
      ],
    ];
  };
  return [
    ...side('before', before),
    ...side('after', after),
    ...(per === null ? [] : [['per', describeWork(per)] as const]),
    ...madeDifferently.map(
      ({ what, before: first, after: second, meaning }): Labelled => [
        'DIFFERENT',
        `${what}: ${first} before, ${second} after; ${meaning}`,
      ],
    ),
  ];
}

/** As they stand in a row: per unit of work, where that was asked for. */
function cellsOf(count: CountChange, per: Work | null): [before: string, after: string, change: string] {
  const { before, after, change } = count.perWork ?? count;
  return per === null
    ? [formatCount(before), formatCount(after), formatChange(change)]
    : [formatRate(before), formatRate(after), formatChange(change, formatRate)];
}

function ratio({ before, after }: BeforeAfter): string {
  return before === 0 ? '-' : `${(after / before).toFixed(2)} x`;
}

const ONLY_REPLAYED: readonly string[] = ['invalidations', 'instructions of replay time'];

function areSampled(before: DiffSide, after: DiffSide): boolean {
  return before.sampled !== undefined || after.sampled !== undefined;
}

const totalsColumns: readonly TextColumn[] = [
  { heading: 'all types', align: 'left', shortest: 16 },
  { heading: 'before', align: 'right' },
  { heading: 'after', align: 'right' },
  { heading: 'change', align: 'right' },
  { heading: 'after : before', align: 'right', expendable: 1 },
];

function totalsSection({ totals, per, before: side, after: other }: Diff, width: number): Section {
  const isSampled = areSampled(side, other);
  const counts: [string, CountChange][] = [
    ['references', totals.references],
    ['L1 misses', totals.levels.l1.misses],
    ...CLASSES.map((name): [string, CountChange] => [`  ${name}`, totals.levels.l1.classes[name]]),
    ['L2 misses', totals.levels.l2.misses],
    ['LLC misses', totals.levels.llc.misses],
    ["served by another core's cache", totals.cacheToCache],
    ['invalidations', totals.invalidations],
    ['latency, cycles', totals.latencyCycles],
    ['  of what missed the L1', totals.missLatencyCycles],
    ['instructions of replay time', totals.instructions],
  ];
  // Counts that samples cannot say are left out.
  const shown = counts.filter(
    ([name, { before, after }]) =>
      (!name.startsWith('  ') || before > 0 || after > 0) && !(isSampled && ONLY_REPLAYED.includes(name)),
  );
  const averages: [string, BeforeAfter, (value: number) => string][] = [
    ['live objects, on average', totals.averageLiveObjects, formatRate],
    ['bytes of live objects, on average', totals.workingSetBytes, formatBytes],
  ];
  return {
    title: per === null ? 'all types' : 'all types, per unit of work',
    body: renderTable(
      totalsColumns,
      [
        ...shown.map(([name, count]) => [name, ...cellsOf(count, per), ratio(count.perWork ?? count)]),
        ...averages.map(([name, value, format]) => [
          name,
          format(value.before),
          format(value.after),
          formatChange(value.change, format),
          ratio(value),
        ]),
      ],
      width,
    ),
    notes: per === null ? [] : ['Averages of live objects are over replay time, and not divided by work.'],
  };
}

const typeColumns: readonly TextColumn[] = [
  { heading: 'type and field', align: 'left', shortest: 16 },
  { heading: 'L1 before', align: 'right', expendable: 3 },
  { heading: 'L1 after', align: 'right', expendable: 2 },
  { heading: 'L1 misses', align: 'right' },
  { heading: 'most of it', align: 'left', expendable: 1 },
  { heading: 'L2 misses', align: 'right', expendable: 4 },
  { heading: 'LLC misses', align: 'right', expendable: 6 },
  { heading: 'c2c', align: 'right', expendable: 7 },
  { heading: 'est. cycles', align: 'right', expendable: 5 },
  { heading: 'references', align: 'right', expendable: 8 },
  { heading: '', align: 'left', expendable: 9 },
];

function typesSection(diff: Diff, top: number, width: number): Section {
  const { rows, per, totals, sort } = diff;
  const changed = rows.filter((row) => row.field === null && hasChanged(row));
  const wholes = changed.slice(0, top);
  const isSampled = areSampled(diff.before, diff.after);
  const columns = isSampled
    ? [...typeColumns.slice(0, 4), { heading: 'within', align: 'left' } as const, ...typeColumns.slice(4)]
    : typeColumns;
  const within = ({ intervals }: Pick<TypeChangeRow, 'intervals'>): string[] =>
    isSampled
      ? [
          intervals === undefined || per !== null
            ? ''
            : intervals.l1Misses.map((bound) => formatChange(Math.round(bound), formatBrief)).join(' to '),
        ]
      : [];
  const cells = (
    row: Pick<TypeChangeRow, 'levels' | 'cacheToCache' | 'missLatencyCycles' | 'references' | 'intervals'>,
  ): string[] => {
    const change = (count: CountChange): string => cellsOf(count, per)[2];
    const { l1, l2, llc } = row.levels;
    return [
      ...cellsOf(l1.misses, per),
      ...within(row),
      leadingClass(l1.classes),
      change(l2.misses),
      change(llc.misses),
      change(row.cacheToCache),
      change(row.missLatencyCycles),
      change(row.references),
    ];
  };
  const body = wholes.flatMap((whole) => {
    const fields = rows
      .filter((row) => row.type === whole.type && row.field !== null && hasChanged(row))
      .slice(0, FIELDS_PER_TYPE);
    return [
      [whole.type, ...cells(whole), presence(whole)],
      ...fields.map((row) => [`  ${row.field}`, ...cells(row), presence(row)]),
    ];
  });
  const table = layOutTable(columns, [...body, ['all types', ...cells(totals), '']], width);
  const has = (heading: string): boolean => table.shown.some((index) => columns[index].heading === heading);
  const asTheyAre = ['type and field', 'L1 before', 'L1 after'].filter(has).length;
  return {
    title: `types and fields by change of ${SORT_NAMES[sort]}${per === null ? '' : ', per unit of work'}`,
    body: table.body,
    notes: [
      ...(isSampled
        ? [
            'within: what the change of L1 misses is with 95 %, as far as it is by chance; where 0 is in it, ' +
              'there may be none.',
          ]
        : []),
      `${wholes.length} of ${changed.length} types that changed, of ` +
        `${rows.filter((row) => row.field === null).length}; at most ${FIELDS_PER_TYPE} fields of each.`,
      `All columns but the first${asTheyAre === 1 ? '' : asTheyAre === 2 ? ' two' : ' three'} are changes.`,
      ...meaningsOf(
        {
          'most of it': 'the class of L1 misses that changed most, and by how much of that change.',
          c2c: "references served by another core's cache.",
          'est. cycles': 'latency of the accesses that missed the L1.',
        },
        has,
      ),
    ],
  };
}

/** "c2c: references ...": of the columns that there was room for. */
function meaningsOf(meanings: Readonly<Record<string, string>>, has: (heading: string) => boolean): string[] {
  return Object.entries(meanings).flatMap(([heading, meaning]) => (has(heading) ? [`${heading}: ${meaning}`] : []));
}

function presence({ presence: own }: TypeChangeRow): string {
  return own === 'both' ? '' : own;
}

/** "true-sharing 80%" of what all classes changed, whichever way. */
function leadingClass(classes: Readonly<Record<MissClass, CountChange>>): string {
  const most = mostChangedClass(classes);
  return most === null ? '-' : `${most.name} ${Math.round(100 * most.share)}%`;
}

const objectColumns: readonly TextColumn[] = [
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'live before', align: 'right' },
  { heading: 'after', align: 'right' },
  { heading: 'peak before', align: 'right', expendable: 3 },
  { heading: 'after', align: 'right', expendable: 2 },
  { heading: 'bytes before', align: 'right' },
  { heading: 'after', align: 'right' },
  { heading: 'lifetime before', align: 'right', expendable: 1 },
  { heading: 'after', align: 'right', expendable: 1 },
  { heading: 'objects', align: 'right', expendable: 5 },
  { heading: 'cores', align: 'left', expendable: 4 },
];

/** null: no type's objects changed. */
function objectsSection({ rows, sort, per }: Diff, top: number, width: number): Section | null {
  const changed = rows.flatMap(({ type, objects }) =>
    objects !== null && haveObjectsChanged(objects) ? [{ type, objects }] : [],
  );
  if (changed.length === 0) return null;
  // By bytes, unless the rows are by something of objects already.
  const ranked = ['live-objects', 'working-set', 'lifetime'].includes(sort)
    ? changed
    : [...changed].sort(
        (a, b) =>
          Math.abs(b.objects.workingSetBytes.change) - Math.abs(a.objects.workingSetBytes.change) ||
          (a.type < b.type ? -1 : 1),
      );
  const shown = ranked.slice(0, top);
  const body = shown.map(({ type, objects }) => {
    const {
      averageLiveObjects: live,
      peakLiveObjects: peak,
      workingSetBytes: bytes,
      averageLifetimeInstructions: lifetime,
    } = objects;
    return [
      type,
      formatRate(live.before),
      formatRate(live.after),
      formatCount(peak.before),
      formatCount(peak.after),
      formatBytes(bytes.before),
      formatBytes(bytes.after),
      formatLifetime(lifetime.before),
      formatLifetime(lifetime.after),
      cellsOf(objects.objects, per)[2],
      flags(objects),
    ];
  });
  const table = layOutTable(objectColumns, body, width);
  const has = (heading: string): boolean =>
    table.shown.some((index) => objectColumns[index].heading.startsWith(heading));
  return {
    title: `objects by change of ${['live-objects', 'lifetime'].includes(sort) ? SORT_NAMES[sort] : 'working set'}`,
    body: table.body,
    notes: [
      `${shown.length} of ${changed.length} types whose objects changed.`,
      ...meaningsOf(
        {
          live: 'time-weighted average of live objects.',
          peak: 'most at once.',
          bytes: 'average bytes of live objects.',
          lifetime: 'average of a life, in instructions of replay time.',
          objects: `how many more ever lived${per === null ? '' : ', per unit of work'}.`,
          cores:
            'bounce = an object went from core to core, write-shared = a line was referenced by two cores, one ' +
            'storing; + and -: what came and what went.',
        },
        has,
      ),
    ],
  };
}

function formatLifetime(instructions: number | null): string {
  return instructions === null ? '-' : formatCount(Math.round(instructions));
}

function flags({ bounce, writeShared }: NonNullable<TypeChangeRow['objects']>): string {
  const spell = (name: string, { before, after }: { before: boolean; after: boolean }): string[] =>
    before === after ? (after ? [name] : []) : [`${after ? '+' : '-'}${name}`];
  return [...spell('bounce', bounce), ...spell('write-shared', writeShared)].join(' ');
}
