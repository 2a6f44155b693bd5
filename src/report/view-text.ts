// Stage: views -> text. Any view as tables with notes, from its columns.

import type { Column, Value } from '../views/columns.js';
import type { Table, ViewTable } from '../views/view-definition.js';
import { drawBars } from './bars.js';
import { alignmentOf, spellValue } from './spell-value.js';
import { layOutTable, type TextColumn } from './text-table.js';

/** From here on there is room for what a narrower terminal, whose table people know, does not show. */
const ROOMY = 160;
/** Where no width was asked for, the table is the one that people know, with whole names. */
const isRoomy = (width: number): boolean => Number.isFinite(width) && width >= ROOMY;
/** Below it headings are brief. */
const WIDE = 100;

export interface TextSection {
  readonly title: string;
  readonly body: string;
  readonly notes: readonly string[];
}

export function renderSection(table: ViewTable<unknown>, width: number): TextSection {
  const { title, lines, empty, notes, remarks = [], further = [] } = table;
  if (lines.length === 0 && empty !== undefined) return { title, body: empty, notes: [...notes, ...remarks] };
  const { body, meanings } = renderColumns(table, width);
  const bodies = further.filter((own) => own.lines.length > 0).map((own) => renderColumns(own, width).body);
  return { title, body: [body, ...bodies].join('\n\n'), notes: [...notes, ...meanings, ...remarks] };
}

function renderColumns(
  { columns, lines, hasAll = false }: Table<unknown>,
  width: number,
): { body: string; meanings: string[] } {
  const own = columns
    .filter(({ where }) => where !== 'page' && (where !== 'roomy' || isRoomy(width)))
    .map((column) => (!isRoomy(width) && isLong(column, lines) ? withBriefWords(column) : column));
  const cells = lines.map((line) =>
    isText(line)
      ? line
      : own.map((column) => (column.isBlank?.(line) ? '' : spellCell(column, column.value(line), width))),
  );
  const all = hasAll
    ? [own.map((column) => (column.all === undefined ? '' : spellCell(column, column.all, width)))]
    : [];
  const { body, shown, none } = layOutTable(own.map(toTextColumn), [...cells, ...all], width);
  const meanings = shown
    .map((index) => own[index])
    .sort((a, b) => (a.noteRank ?? 0) - (b.noteRank ?? 0))
    .flatMap((column) => spellMeaning(column, width));
  const without = none.map((index) => own[index].heading).join(', ');
  return { body, meanings: without === '' ? meanings : [`Left out, as it is 0 throughout: ${without}.`, ...meanings] };
}

function isText(line: unknown): line is readonly string[] {
  return Array.isArray(line);
}

function spellCell(column: Column<never>, value: Value, width: number): string {
  if (column.unit !== 'bars' || typeof value !== 'object' || !isNumbers(value)) return spellValue(column, value);
  return drawBars(value, column.mostBars, width);
}

function isNumbers(value: Value): value is readonly number[] {
  return Array.isArray(value);
}

function isLong(column: Column<unknown>, lines: Table<unknown>['lines']): boolean {
  const { briefWords, all = '' } = column;
  const values = [...lines.flatMap((line) => (isText(line) ? [] : [column.value(line)])), all];
  return briefWords !== undefined && values.some((value) => spellValue(column, value).length > briefWords.longest);
}

function withBriefWords(column: Column<unknown>): Column<unknown> {
  const { words } = column.briefWords!;
  const briefly = (value: Value): Value => {
    if (Array.isArray(value)) return value.map((word: string) => words[word] ?? word);
    if (typeof value !== 'string') return value;
    return Object.entries(words).reduce((text, [word, short]) => text.replace(word, short), value);
  };
  return {
    ...column,
    meaning: Object.entries(words).reduce(
      (text, [word, short]) => text?.replace(`${word} =`, `${short} =`),
      column.meaning,
    ),
    value: (row) => briefly(column.value(row)),
    ...(column.all !== undefined && { all: briefly(column.all) }),
  };
}

function toTextColumn(column: Column<never>): TextColumn {
  const { heading, brief, shortest, expendable, isList, isNoneLeftOut } = column;
  return {
    heading,
    align: alignmentOf(column),
    ...(brief !== undefined && { brief }),
    ...(shortest !== undefined && { shortest }),
    ...(expendable !== undefined && { expendable }),
    ...(isList && { isList }),
    ...(isNoneLeftOut && { isNoneLeftOut }),
  };
}

function spellMeaning({ heading, brief, meaning, briefMeaning }: Column<never>, width: number): string[] {
  const isBrief = width < WIDE && brief !== undefined;
  const own = isBrief ? (briefMeaning ?? meaning) : meaning;
  return own === undefined ? [] : [`${isBrief ? brief : heading}: ${own}`];
}
