// Stage: profile -> views. The tables of the working set: what of each type lives and lies in the caches, the sets that
// are given more lines than they hold, and the ways that objects went.

import type {
  SampledWorkingSet,
  SampledWorkingSetRow,
  WalkedPath,
  WorkingSet,
  WorkingSetRow,
} from './working-set-rows.js';
import { estimateOf, type Quantity } from '../base/estimate.js';
import { formatCount } from '../base/format-number.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, measure, name, type Column, type Share } from './columns.js';
import { foldRepeats } from './fold-repeats.js';
import type { Table } from './view-definition.js';

const TIMELINE = 'over the run';

type AnyRow = WorkingSetRow | SampledWorkingSetRow;

export function workingSetColumns(view: WorkingSet | SampledWorkingSet): Column<AnyRow>[] {
  const isSampled = view.sampled !== undefined;
  const timeline = column('bars', 'timeline', TIMELINE, ({ timeline }: AnyRow) => timeline, {
    ...(!isSampled && { meaning: "live bytes in 20 parts of the run, of the type's most." }),
    where: 'text',
    expendable: 7,
  });
  const columns = [
    name<AnyRow>('type', 'type', { shortest: 16, width: 30 }),
    measure<AnyRow>('bytes', 'working set', 'averageLiveBytes', {
      brief: 'bytes',
      meaning: 'average bytes of live objects.',
    }),
    measure<AnyRow>('bytes', 'most bytes', 'peakLiveBytes', {
      brief: 'most',
      ...(isSampled ? { tip: 'at one time.' } : { meaning: 'at one time.' }),
      expendable: 2,
    }),
    measure<AnyRow>('average', 'live', 'averageLiveObjects', { meaning: 'objects, on average.' }),
    count<AnyRow>('most live', 'peakLiveObjects', { tip: 'most objects alive at one time', expendable: 3 }),
  ];
  return [
    ...columns.map((one, index) => (index === 0 || isSampled ? one : ofObjects(one))),
    ...(isSampled ? [sampledLifetime] : lifetimes()),
    ...LEVELS.map((level, index) =>
      measure<AnyRow>('average', `in ${LEVEL_NAMES[level]}`, `averageResidentLines.${level}`, {
        ...(level === 'l1' && {
          meaning: isSampled
            ? 'average lines in all caches of the level; lines of freed objects are removed.'
            : 'average lines of live objects in all caches of the level; (freed): of objects that were freed.',
        }),
        pageHeading: `lines in ${LEVEL_NAMES[level]}`,
        tip: `time-weighted average of its lines in the ${LEVEL_NAMES[level]}, all of them together`,
        ...(index > 0 && { expendable: 7 - index }),
      }),
    ),
    ...LEVELS.map((level) =>
      measure<AnyRow>('bytes', `bytes in ${LEVEL_NAMES[level]}`, `averageResidentBytes.${level}`, {
        meaning: `time-weighted average of its bytes in the ${LEVEL_NAMES[level]}, all of them together`,
        where: 'page',
      }),
    ),
    ...(view.sampled === undefined ? [reachedSets(view)] : []),
    timeline,
    ...(isSampled
      ? []
      : LEVELS.map((level) =>
          measure<AnyRow>('average', `freed in ${LEVEL_NAMES[level]}`, `averageFreedLines.${level}`, {
            meaning: 'lines of objects that were freed',
            where: 'page',
          }),
        )),
    count('objects', 'objects', { meaning: 'that ever lived', where: 'page' }),
    count('lives', 'lives', {
      meaning: 'a stack variable has one for each time that its frame opens',
      where: 'page',
    }),
  ];
}

/** The row of freed lines has no objects: what is of objects is empty. */
function ofObjects(one: Column<AnyRow>): Column<AnyRow> {
  return { ...one, isBlank: ({ objects }) => objects === 0 };
}

const sampledLifetime = column(
  'nanoseconds',
  'averageLifetimeNanoseconds',
  'lifetime',
  ({ averageLifetimeNanoseconds }: SampledWorkingSetRow) => averageLifetimeNanoseconds,
  { tip: 'average, since the allocation', expendable: 4 },
);

/** Whole instructions in text. */
function lifetimes(): Column<WorkingSetRow>[] {
  const id = 'averageLifetimeInstructions';
  return [
    column(
      'count',
      id,
      'lifetime',
      ({ averageLifetimeInstructions: own }: WorkingSetRow) => (own === null ? null : Math.round(own)),
      { meaning: 'average, in instructions.', nothing: '', where: 'text', expendable: 4 },
    ),
    measure('average', 'lifetime', id, { meaning: 'average, in instructions of replay time', where: 'page' }),
  ];
}

function reachedSets({ sets }: WorkingSet): Column<WorkingSetRow> {
  return {
    ...column(
      'of',
      'reachableSets.l1',
      'L1 sets',
      ({ unusedSets, reachableSets }: WorkingSetRow) => ({
        part: sets.l1.sets - unusedSets.l1,
        whole: reachableSets.l1,
      }),
      {
        meaning: 'sets with lines of the type, of those that its objects can reach by their alignment.',
        where: 'text',
        expendable: 1,
      },
    ),
    isBlank: ({ reachableSets }) => reachableSets.l1 === 0,
  };
}

const MOST_SETS = 5;
const MOST_TYPES_OF_SET = 3;

const OVERFULL = 'given more lines than ways';

function levelColumns(view: WorkingSet | SampledWorkingSet): Column<LevelName>[] {
  return [
    column('words', 'level', 'level', (level: LevelName) => LEVEL_NAMES[level]),
    column('count', 'sets', 'sets', (level: LevelName) => view.sets[level].sets),
    column('count', 'ways', 'ways', (level: LevelName) => view.sets[level].ways),
  ];
}

/** The use of each level's sets; for levels with overfull sets, the worst of them. */
export function setTable(view: WorkingSet, rows: readonly WorkingSetRow[]): Table<LevelName> {
  return {
    columns: [
      ...levelColumns(view),
      column('count', 'unused', 'unused', (level: LevelName) => view.sets[level].unused),
      column('count', 'overfull', OVERFULL, (level: LevelName) => view.sets[level].overfull.length, {
        brief: 'overfull',
      }),
      column(
        'share',
        'ofSets',
        'of sets',
        (level: LevelName) => ({ part: view.sets[level].overfull.length, whole: view.sets[level].sets }),
        { expendable: 1 },
      ),
      column('words', 'worst', 'most lines in set', (level: LevelName) => worstSets(view, level, rows), {
        shortest: 24,
        isList: true,
        expendable: 2,
      }),
    ],
    lines: LEVELS,
  };
}

export function sampledSetTable(view: SampledWorkingSet): Table<LevelName> {
  const overfull = (level: LevelName): string => `~${formatCount(view.sets[level].overfull.length)}`;
  return {
    columns: [
      ...levelColumns(view),
      column('words', 'overfull', `${OVERFULL}, simulated`, overfull, { brief: 'overfull', align: 'right' }),
    ],
    lines: LEVELS,
  };
}

/** "5: 23 (struct a 12, struct b 11)". */
function worstSets({ sets }: WorkingSet, level: LevelName, rows: readonly WorkingSetRow[]): string {
  const { overfull, linesPerSet, setsPerBin } = sets[level];
  return overfull
    .slice(0, setsPerBin === 1 ? 2 : MOST_SETS)
    .map((set) => {
      const types =
        setsPerBin > 1
          ? []
          : rows
              .map(({ type, linesPerSet: own }) => ({ type, lines: own[level][set] }))
              .filter(({ lines }) => lines > 0)
              .sort((a, b) => b.lines - a.lines)
              .slice(0, MOST_TYPES_OF_SET);
      const spelled = types.map(({ type, lines }) => `${type} ${formatCount(lines)}`).join(', ');
      return `${set}: ${formatCount(linesPerSet[set])}${spelled === '' ? '' : ` (${spelled})`}`;
    })
    .join('; ');
}

interface Histogram {
  readonly level: LevelName;
  readonly what: string;
  readonly counts: readonly number[];
}

/** DProf's Figure 1 for one type, in a line for each level. */
export function histogramTable({ linesPerSet, missesPerSet }: WorkingSetRow, { sets }: WorkingSet): Table<Histogram> {
  const setsPerBar = (level: LevelName): string =>
    sets[level].setsPerBin === 1 ? 'a set' : `${sets[level].setsPerBin} sets`;
  return {
    columns: [
      column('words', 'level', 'level', ({ level }: Histogram) => LEVEL_NAMES[level]),
      column('words', 'what', 'of the type', ({ what }: Histogram) => what, { expendable: 1 }),
      column('count', 'most', 'most', ({ counts }: Histogram) => Math.max(...counts)),
      column('words', 'in', 'in', ({ level }: Histogram) => setsPerBar(level), { expendable: 2 }),
      // As many as the default L1 has sets, where there is room.
      column('bars', 'bars', 'set 0', ({ counts }: Histogram) => counts, { mostBars: [48, 64] }),
      column('words', 'to', 'to', ({ level }: Histogram) => formatCount(sets[level].sets - 1)),
    ],
    lines: LEVELS.flatMap((level) => [
      { level, what: 'lines', counts: linesPerSet[level] },
      { level, what: 'misses', counts: missesPerSet[level] },
    ]),
  };
}

const MOST_PATHS = 3;
/** Types whose ways are shown. */
const MOST_WALKERS = 5;

interface Way {
  readonly type: string;
  readonly frequency: Quantity;
  readonly ofType: Share;
  readonly way: string;
}

/** The ways of the types with the most misses. */
export function wayTable(rows: readonly AnyRow[], isSampled: boolean): Table<Way> {
  const walkers = rows.filter(({ paths }) => paths.length > 0).slice(0, MOST_WALKERS);
  return {
    columns: [
      column('name', 'type', 'type', ({ type }: Way) => type, { shortest: 16 }),
      column('count', 'lives', 'lives', ({ frequency }: Way) => frequency),
      column('share', 'ofType', 'of type', ({ ofType }: Way) => ofType, { expendable: 1 }),
      column('name', 'way', 'ways of objects', ({ way }: Way) => way, { shortest: 30 }),
    ],
    lines: walkers.flatMap(({ type, lives, paths }) => [
      ...paths.slice(0, MOST_PATHS).map(
        (path, index): Way => ({
          type: index === 0 ? type : '',
          frequency: livesOf(path, isSampled),
          ofType: { part: path.frequency, whole: lives ?? 0 },
          way: `${spellWay(path.functions)} | ${path.end}`,
        }),
      ),
      ...(paths.length > MOST_PATHS ? [['', '', '', `… ${formatCount(paths.length - MOST_PATHS)} more`]] : []),
    ]),
  };
}

/** Columns of the page's table of one type's ways. */
export function walkedPathColumns(isSampled: boolean): Column<WalkedPath>[] {
  return [
    column('name', 'functions', 'functions', spellFunctions, { width: 90 }),
    column('count', 'frequency', 'lives', (path: WalkedPath) => livesOf(path, isSampled)),
    column('words', 'end', 'ended', ({ end }: WalkedPath) => end, { width: 8 }),
  ];
}

/** Histories estimate how many lives went a way. */
function livesOf({ frequency }: WalkedPath, isSampled: boolean): Quantity {
  return isSampled ? estimateOf(frequency) : frequency;
}

function spellFunctions({ functions }: WalkedPath): string {
  return functions.map((one) => one ?? '(unknown)').join(' → ');
}

function spellWay(functions: readonly (string | null)[]): string {
  if (functions.length === 0) return 'nobody referenced it';
  return foldRepeats(functions, (a, b) => a === b)
    .map(({ times, items }) => {
      const names = items.map(([name]) => name ?? '?').join(' > ');
      return times === 1 ? names : `${formatCount(times)} x (${names})`;
    })
    .join(' > ');
}
