// Stage: views -> text. The working set as tables: what of each type lives and lies in the caches, the sets that are
// given more than they hold, and the ways that objects went.

import { LEVELS, type LevelName } from '../replay/machine.js';
import type { WorkingSet, WorkingSetRow } from '../views/working-set.js';
import { flowNotes } from './flow-notes.js';
import { foldRepeats } from './fold-repeats.js';
import { formatBytes, formatCount, formatShare } from './format-number.js';
import { formatAverage } from './path-traces-text.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const names: Readonly<Record<LevelName, string>> = { l1: 'L1', l2: 'L2', llc: 'LLC' };

const columns: readonly TextColumn[] = [
  { heading: 'type', align: 'left', shortest: 16 },
  { heading: 'working set', brief: 'bytes', align: 'right' },
  { heading: 'most bytes', brief: 'most', align: 'right', expendable: 2 },
  { heading: 'live', align: 'right' },
  { heading: 'most live', align: 'right', expendable: 3 },
  { heading: 'lifetime', align: 'right', expendable: 4 },
  { heading: 'in L1', align: 'right' },
  { heading: 'in L2', align: 'right', expendable: 6 },
  { heading: 'in LLC', align: 'right', expendable: 5 },
  { heading: 'L1 sets', align: 'right', expendable: 1 },
  { heading: 'over the run', align: 'left', expendable: 7 },
];

const SPARK_PARTS = 20;
/** As many as the default L1 has sets, where there is room. */
const [MOST_BARS, FEW_BARS] = [64, 48];
const SPARKS = '▁▂▃▄▅▆▇█';
const MOST_SETS = 5;
const MOST_TYPES_OF_SET = 3;
const MOST_PATHS = 3;
/** Types whose ways are shown. */
const MOST_WALKERS = 5;

export function workingSetSection(view: WorkingSet, top: number, width: number): TextSection {
  const named = view.rows.filter(({ type }) => type !== '(freed)');
  const freed = view.rows.filter(
    (row) => row.type === '(freed)' && LEVELS.some((level) => row.averageResidentLines[level] > 0),
  );
  // What lives most is what fills the caches; types that miss most stand first in the JSON.
  const shown = [...named].sort((a, b) => b.averageLiveBytes - a.averageLiveBytes).slice(0, top);
  const main = renderTable(
    columns,
    [...shown, ...freed].map((row) => cells(row, view)),
    width,
  );
  return {
    title: 'working set: what lives, and what of it lies in the caches',
    body: [
      main,
      '',
      ...setLines(view, named, width),
      ...(named.length === 1 ? ['', histogram(named[0], view, width)] : []),
      '',
      waysTable(named, width),
    ]
      .join('\n')
      .trimEnd(),
    notes: [
      ['', `${formatCount(shown.length)} of ${formatCount(named.length)} types.`],
      [width >= 100 ? 'working set' : 'bytes', 'average bytes of live objects.'],
      [width >= 100 ? 'most bytes' : 'most', 'at one time.'],
      ['live', 'objects, on average.'],
      ['lifetime', 'average, in instructions.'],
      ['in L1', 'average lines of live objects in all caches of the level; (freed): of objects that were freed.'],
      ['L1 sets', 'sets with lines of the type, of those that its objects can reach by their alignment.'],
      ['over the run', `live bytes in ${SPARK_PARTS} parts of the run, of the type's most.`],
      ...flowNotes(view.flow),
    ],
  };
}

function cells(row: WorkingSetRow, { sets }: WorkingSet): string[] {
  const isObject = row.objects > 0;
  return [
    row.type,
    ...(isObject
      ? [
          formatBytes(row.averageLiveBytes),
          formatBytes(row.peakLiveBytes),
          formatAverage(row.averageLiveObjects),
          formatCount(row.peakLiveObjects),
        ]
      : ['', '', '', '']),
    row.averageLifetimeInstructions === null ? '' : formatCount(Math.round(row.averageLifetimeInstructions)),
    ...LEVELS.map((level) => formatAverage(row.averageResidentLines[level])),
    row.reachableSets.l1 === 0
      ? ''
      : `${formatCount(sets.l1.sets - row.unusedSets.l1)} of ${formatCount(row.reachableSets.l1)}`,
    sparkline(row.timeline),
  ];
}

/** Averages of so many parts, each of the largest. */
export function sparkline(values: readonly number[], count = SPARK_PARTS): string {
  const parts = Array.from({ length: count }, (_, part) => {
    const own = values.slice(
      Math.floor((part * values.length) / count),
      Math.floor(((part + 1) * values.length) / count),
    );
    return own.reduce((sum, value) => sum + value, 0) / Math.max(1, own.length);
  });
  const most = Math.max(...parts);
  return most === 0
    ? ''
    : parts
        .map((part) =>
          part === 0 ? ' ' : SPARKS[Math.min(SPARKS.length - 1, Math.floor((part / most) * SPARKS.length))],
        )
        .join('');
}

/** Of each level, how its sets are used; of sets given more than they hold, the worst. */
function setLines(view: WorkingSet, rows: readonly WorkingSetRow[], width: number): string[] {
  const summary = LEVELS.map((level) => {
    const { sets, ways, unused, overfull } = view.sets[level];
    return [
      names[level],
      formatCount(sets),
      formatCount(ways),
      formatCount(unused),
      formatCount(overfull.length),
      formatShare(overfull.length, sets),
      worstSets(view, level, rows),
    ];
  });
  return [
    renderTable(
      [
        { heading: 'level', align: 'left' },
        { heading: 'sets', align: 'right' },
        { heading: 'ways', align: 'right' },
        { heading: 'unused', align: 'right' },
        { heading: 'given more lines than ways', brief: 'overfull', align: 'right' },
        { heading: 'of sets', align: 'right', expendable: 1 },
        { heading: 'most lines in set', align: 'left', shortest: 24, isList: true, expendable: 2 },
      ],
      summary,
      width,
    ),
  ];
}

/** DProf's Figure 1 for one type, in a line for each level. */
function histogram({ linesPerSet, missesPerSet }: WorkingSetRow, { sets }: WorkingSet, width: number): string {
  const lines = LEVELS.flatMap((level) =>
    [
      ['lines', linesPerSet],
      ['misses', missesPerSet],
    ].map(([what, of]) => {
      const counts = (of as WorkingSetRow['linesPerSet'])[level];
      const { sets: count, setsPerBin } = sets[level];
      return [
        names[level],
        what as string,
        formatCount(Math.max(...counts)),
        setsPerBin === 1 ? 'a set' : `${setsPerBin} sets`,
        sparkline(counts, Math.min(width >= 112 ? MOST_BARS : FEW_BARS, counts.length)),
        formatCount(count - 1),
      ];
    }),
  );
  return renderTable(
    [
      { heading: 'level', align: 'left' },
      { heading: 'of the type', align: 'left', expendable: 1 },
      { heading: 'most', align: 'right' },
      { heading: 'in', align: 'left', expendable: 2 },
      { heading: 'set 0', align: 'left' },
      { heading: 'to', align: 'left' },
    ],
    lines,
    width,
  );
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

/** Of the types that miss most. */
export function waysTable(rows: readonly WorkingSetRow[], width: number, spell = formatCount): string {
  const walkers = rows.filter(({ paths }) => paths.length > 0).slice(0, MOST_WALKERS);
  const lines = walkers.flatMap(({ type, lives, paths }) => {
    const shown = paths
      .slice(0, MOST_PATHS)
      .map(({ functions, end, frequency }, index) => [
        index === 0 ? type : '',
        spell(frequency),
        formatShare(frequency, lives),
        `${spellWay(functions)} | ${end}`,
      ]);
    return paths.length > MOST_PATHS
      ? [...shown, ['', '', '', `… ${formatCount(paths.length - MOST_PATHS)} more`]]
      : shown;
  });
  if (lines.length === 0) return '';
  return renderTable(
    [
      { heading: 'type', align: 'left', shortest: 16 },
      { heading: 'lives', align: 'right' },
      { heading: 'of type', align: 'right', expendable: 1 },
      { heading: 'ways of objects', align: 'left', shortest: 30 },
    ],
    lines,
    width,
  );
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
