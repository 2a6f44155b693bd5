// Stage: diff -> text. Two runs compared, as tables: the sums, what changed per type and field, what became of the
// objects.

import type { BeforeAfter, CountChange, Work } from '../diff/change.js';
import { haveObjectsChanged, mostChangedClass } from '../diff/changed.js';
import type { Diff, DiffSide } from '../diff/diff.js';
import { SORT_NAMES } from '../diff/rank.js';
import type { TypeChangeRow } from '../diff/type-changes.js';
import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import { CLASS_NAMES, LEVEL_NAMES } from '../views/class-names.js';
import { formatBytes, formatChange, formatCount, formatRate, formatShare, plural } from '../base/format-number.js';
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

interface DiffOptions extends TextOptions {
  /** Rows of paths, which are long. */
  readonly paths?: number;
}

/** One line: what the difference is in all. */
export function renderVerdict({ totals: { missLatencyCycles: cycles, instructions } }: Diff): string {
  const { before, after } = cycles;
  const share = formatShare(Math.abs(after - before), Math.max(1, before + instructions.before));
  const change = after === before ? 'as before' : `${share} of the run ${after < before ? 'less' : 'more'}`;
  return `estimated cycles ${formatCount(before)} -> ${formatCount(after)}, ${ratio(cycles)}: ${change}`;
}

export function renderDiff(diff: Diff, { top, paths: mostPaths = top, style }: DiffOptions): string {
  const { width } = style;
  const paths = diff.paths && pathChangesSection(diff.paths, diff.per, mostPaths, width);
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

function headLines(diff: Diff, width: number): Labelled[] {
  const { before, after, madeDifferently, per } = diff;
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
    ...(areSampled(before, after) ? [] : [['changed', headline(diff)] as const]),
    ...madeDifferently.map(
      ({ what, before: first, after: second, meaning }): Labelled => [
        'DIFFERENT',
        `${what}: ${first} before, ${second} after; ${meaning}`,
      ],
    ),
  ];
}

/** What it cost, and the level whose misses that is most. */
function headline({ totals, per, level }: Diff): string {
  const told = (count: CountChange): string => {
    const [was, is, change] = cellsOf(count, per);
    const own = count.perWork ?? count;
    return `from ${was} to ${is} (${change}${own.before === 0 || own.after === 0 ? '' : `, ${ratio(own)}`})`;
  };
  const { misses, classes } = totals.levels[level];
  const most = mostChangedClass(classes);
  const cycles = cellsOf(totals.levelCycles[level], per)[2];
  return (
    `estimated cycles ${told(totals.missLatencyCycles)}; ${LEVEL_NAMES[level]} misses ${told(misses)}, ` +
    `${cycles} of these cycles${
      most === null
        ? ''
        : `; most of it ${LEVEL_NAMES[level]} ${CLASS_NAMES[most.name]} ` + `${told(classes[most.name])}`
    }`
  );
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

function totalsSection({ totals, per, level, before: side, after: other }: Diff, width: number): Section {
  const isSampled = areSampled(side, other);
  const counts: [string, CountChange][] = [
    ['references', totals.references],
    ...(isSampled
      ? []
      : [
          ['estimated cycles', totals.missLatencyCycles] satisfies [string, CountChange],
          ...LEVELS.map((one): [string, CountChange] => [`  by ${LEVEL_NAMES[one]} misses`, totals.levelCycles[one]]),
        ]),
    ...LEVELS.flatMap((one): [string, CountChange][] => [
      [`${LEVEL_NAMES[one]} misses`, totals.levels[one].misses],
      ...(one === level
        ? CLASSES.map((name): [string, CountChange] => [`  ${name}`, totals.levels[one].classes[name]])
        : []),
    ]),
    ["served by another core's cache", totals.cacheToCache],
    ['invalidations', totals.invalidations],
    ['latency, cycles', totals.latencyCycles],
    ...(isSampled ? [['  of what missed the L1', totals.missLatencyCycles] satisfies [string, CountChange]] : []),
    ['instructions of replay time', totals.instructions],
  ];
  // Counts that samples cannot say are left out, and so is what neither run has.
  const shown = counts.filter(
    ([name, { before, after }]) => (before > 0 || after > 0) && !(isSampled && ONLY_REPLAYED.includes(name)),
  );
  const averages: [string, BeforeAfter, (value: number) => string][] = [
    ['live objects, on average', totals.averageLiveObjects, formatRate],
    ['bytes of live objects, on average', totals.workingSetBytes, formatBytes],
  ];
  const lived = averages.filter(([, { before, after }]) => before > 0 || after > 0);
  return {
    title: per === null ? 'all types' : 'all types, per unit of work',
    body: renderTable(
      totalsColumns,
      [
        ...shown.map(([name, count]) => [name, ...cellsOf(count, per), ratio(count.perWork ?? count)]),
        ...lived.map(([name, value, format]) => [
          name,
          format(value.before),
          format(value.after),
          formatChange(value.change, format),
          ratio(value),
        ]),
      ],
      width,
    ),
    notes:
      per === null || lived.length === 0
        ? []
        : ['Averages of live objects are over replay time, and not divided by work.'],
  };
}

/** Three columns of what the rows are about, misses by level with the classes of one, and what else counts. */
function typeColumns(level: LevelName, isSampled: boolean): readonly TextColumn[] {
  const [misses, ...others] = [level, ...LEVELS.filter((one) => one !== level)].map(
    (one) => `${LEVEL_NAMES[one]} misses`,
  );
  const most: TextColumn = { heading: 'most of it', align: 'left', expendable: 1 };
  const rest = (heading: string, expendable: number): TextColumn => ({ heading, align: 'right', expendable });
  return [
    { heading: 'type and field', align: 'left', shortest: 16 },
    rest('before', 3),
    rest('after', 2),
    ...(isSampled
      ? ([{ heading: misses, align: 'right' }, { heading: 'within', align: 'left' }, most] as const)
      : ([{ heading: 'est. cycles', align: 'right' }, { heading: misses, align: 'right' }, most] as const)),
    rest(others[0], 4),
    rest(others[1], 6),
    rest('c2c', 7),
    ...(isSampled ? [rest('est. cycles', 5)] : []),
    rest('references', 8),
    { heading: 'presence', align: 'left', expendable: 9 },
  ];
}

function typesSection(diff: Diff, top: number, width: number): Section {
  const { rows, per, totals, sort, level } = diff;
  const changed = rows.filter((row) => row.field === null && isTold(row));
  const wholes = changed.slice(0, top);
  const isSampled = areSampled(diff.before, diff.after);
  const all = typeColumns(level, isSampled);
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
    const [misses, ...others] = [level, ...LEVELS.filter((one) => one !== level)].map((one) =>
      cellsOf(row.levels[one].misses, per),
    );
    const most = leadingClass(row.levels[level].classes);
    return [
      ...(isSampled ? [...misses, ...within(row), most] : [...cellsOf(row.missLatencyCycles, per), misses[2], most]),
      ...others.map(([, , own]) => own),
      change(row.cacheToCache),
      ...(isSampled ? [change(row.missLatencyCycles)] : []),
      change(row.references),
    ];
  };
  const body = wholes.flatMap((whole) => {
    const fields = rows
      .filter((row) => row.type === whole.type && row.field !== null && isTold(row))
      .slice(0, FIELDS_PER_TYPE);
    return [
      [nameOf(whole), ...cells(whole), presence(whole)],
      ...fields.map((row) => [`  ${row.field}`, ...cells(row), presence(row)]),
    ];
  });
  const isPresent = body.every((line) => line[line.length - 1] === '');
  const columns = isPresent ? all.slice(0, -1) : all;
  const table = layOutTable(columns, [...body, ['all types', ...cells(totals), '']], width);
  const has = (heading: string): boolean => table.shown.some((index) => columns[index].heading === heading);
  const asTheyAre = ['type and field', 'before', 'after'].filter(has).length;
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
          'most of it': `the class of ${LEVEL_NAMES[level]} misses that changed most, and by how much of that change.`,
          c2c: "references served by another core's cache.",
          'est. cycles': 'latency of the accesses that missed the L1.',
          presence: 'appeared = only the second run has it, vanished = only the first.',
          before: `${isSampled ? `${LEVEL_NAMES[level]} misses` : 'estimated cycles'}, and so after.`,
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

/** Any number of the table, or the class that most of it is, changed. */
function isTold({ references, cacheToCache, missLatencyCycles, levels }: TypeChangeRow): boolean {
  const counts = [references, cacheToCache, missLatencyCycles, ...LEVELS.map((level) => levels[level].misses)];
  return (
    counts.some(({ change, perWork }) => change !== 0 || (perWork?.change ?? 0) !== 0) ||
    LEVELS.some((level) => mostChangedClass(levels[level].classes) !== null)
  );
}

/** "heap-1088@make (was 1,024 B)". */
function nameOf({ type, sizeBytes: { before, after } }: TypeChangeRow): string {
  return before === null || after === null || before === after ? type : `${type} (was ${formatCount(before)} B)`;
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
  { heading: 'lifetime before', align: 'right', expendable: 1, group: 'lifetime' },
  { heading: 'after', align: 'right', expendable: 1, group: 'lifetime' },
  { heading: 'objects', align: 'right', expendable: 5 },
  { heading: 'cores', align: 'left', expendable: 4 },
];

/** null: no type's objects changed. */
function objectsSection({ rows, sort, per }: Diff, top: number, width: number): Section | null {
  const changed = rows.flatMap((row) =>
    row.objects !== null && haveObjectsChanged(row.objects) ? [{ type: nameOf(row), objects: row.objects }] : [],
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
