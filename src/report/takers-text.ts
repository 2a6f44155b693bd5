// Stage: views -> text. Who takes whose line, level by level: the pairs of types that take most, and the sets in which
// it happens most.

import { LEVELS, type LevelName } from '../replay/machine.js';
import type { TakerRow, TakerView } from '../views/takers.js';
import { formatCount, formatShare } from './format-number.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const titles = {
  evictions: 'evictions: whose lines leave the caches, and for whom',
  invalidations: 'invalidations: whose lines the stores of other cores remove',
} as const;

const columns: readonly TextColumn[] = [
  { heading: 'level', align: 'left' },
  { heading: 'lines', align: 'right' },
  { heading: 'of all', align: 'right', expendable: 1 },
  { heading: 'taken by', align: 'left', shortest: 16 },
  { heading: 'taken from', align: 'left', shortest: 16 },
  { heading: 'sets', align: 'right', expendable: 2 },
  { heading: 'worst sets', align: 'left', shortest: 16, expendable: 3 },
];

/** `top` rows of each level. */
export function takersSection(view: TakerView, name: keyof typeof titles, top: number, width: number): TextSection {
  const levels = LEVELS.map((level) => ({ level, rows: view.rows.filter((row) => row.level === level) })).filter(
    ({ rows }) => rows.length > 0,
  );
  const ofAll = (level: LevelName): number =>
    name === 'evictions' ? view.totals.evictions[level] : view.totals.invalidations;
  const lines = levels.flatMap(({ level, rows }) => {
    const shown = rows
      .slice(0, top)
      .map((row, index) => cells(row, index === 0 ? spellLevel(level) : '', ofAll(level)));
    return rows.length > top ? [...shown, ['', '', '', `… ${formatCount(rows.length - top)} more pairs`]] : shown;
  });
  const totals =
    name === 'evictions'
      ? LEVELS.map((level) => `${formatCount(view.totals.evictions[level])} of the ${spellLevel(level)}`).join(', ')
      : formatCount(view.totals.invalidations);
  return {
    title: titles[name],
    body: levels.length === 0 ? `no ${name}` : renderTable(columns, lines, width),
    notes: [
      ['', `${name} in all: ${totals}.`],
      ['of all', name === 'evictions' ? "of the level's evictions." : 'of all invalidations.'],
      ['taken by', name === 'evictions' ? 'the reference that needed room.' : 'the store.'],
      ['taken from', 'the reference that had brought the line.'],
      ['sets', 'sets in which it happened, of all sets of the level.'],
      ['worst sets', 'with the lines that left there.'],
    ],
  };
}

function cells({ count, taker, owner, sets }: TakerRow, level: string, ofAll: number): string[] {
  const worst = sets.worst.map(({ sets: which, count: lines }) => `${which}: ${formatCount(lines)}`).join(', ');
  return [
    level,
    formatCount(count),
    formatShare(count, ofAll),
    taker,
    owner,
    `${formatCount(sets.involved)} of ${formatCount(sets.of)}`,
    worst,
  ];
}

function spellLevel(level: LevelName): string {
  return level === 'llc' ? 'LLC' : level.toUpperCase();
}
