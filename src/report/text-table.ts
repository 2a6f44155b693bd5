// Stage: views -> text. A table without borders that fits the width it is given: text left, numbers right, long names
// shortened in the middle. Where even that is not enough, columns without a number and the least important ones are
// left out; columns that must stay then go on below.

import Table from 'cli-table3';
import { cut, shorten } from './text-lines.js';
import { spellVisibly } from './visible-text.js';

export interface TextColumn {
  readonly heading: string;
  /** Heading where the width is below WIDE. */
  readonly brief?: string;
  readonly align: 'left' | 'right';
  /** May be shortened to this many characters. */
  readonly shortest?: number;
  /** The first items of a list matter most: text that has no room is cut at the end, not in the middle. */
  readonly isList?: true;
  /** Left out first where the table is too wide; higher goes earlier. Without: never. */
  readonly expendable?: number;
  /** Left out together with the others of this name: a part of them would not add up. */
  readonly group?: string;
  /** Left out before all others where each of its cells is 0. */
  readonly isNoneLeftOut?: true;
}

const GAP = '  ';
const WIDE = 100;
/** cli-table3 looks at all lines above each cell: a type of thousands of members takes it seconds. */
const LINES_AT_ONCE = 64;
const noLines = {
  ...Object.fromEntries(
    ['top', 'bottom', 'mid', 'left', 'right'].flatMap((side) => [
      [side, ''],
      [`${side}-mid`, ''],
      [`${side}-left`, ''],
      [`${side}-right`, ''],
    ]),
  ),
  'mid-mid': '',
  middle: GAP,
};

export function renderTable(
  described: readonly TextColumn[],
  named: readonly (readonly string[])[],
  width: number,
): string {
  return layOutTable(described, named, width).body;
}

/** The lines of a table, and the places of the columns that there was room for, and of those that are 0 throughout. */
export function layOutTable(
  described: readonly TextColumn[],
  named: readonly (readonly string[])[],
  width: number,
): { readonly body: string; readonly shown: readonly number[]; readonly none: readonly number[] } {
  const rows = named.map((row) => row.map(spellVisibly));
  const columns =
    width >= WIDE ? described : described.map((column) => ({ ...column, heading: column.brief ?? column.heading }));
  const { shown, none } = chooseColumns(columns, rows, width);
  const bodies = splitColumns(columns, rows, shown, width).map((part) => renderPart(columns, rows, part, width));
  return { body: bodies.join('\n\n'), shown, none };
}

/** Columns that must stay are all among the shown ones, whether there is room for them side by side or not. */
function chooseColumns(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): { shown: number[]; none: number[] } {
  let shown = columns.map((_, index) => index);
  const none: number[] = [];
  const isTooWide = (): boolean => leastWidth(columns, shown, measure(columns, rows, shown)) > width;
  const isNone = (index: number): boolean =>
    columns[index].isNoneLeftOut === true && rows.every((row) => ['0', '', undefined].includes(row[index]));
  while (isTooWide()) {
    const empty = shown.findLast(isNone);
    if (empty !== undefined) {
      none.unshift(empty);
      shown = shown.filter((index) => index !== empty);
      continue;
    }
    const victim = shown.reduce(
      (worst, index) => ((columns[index].expendable ?? 0) > (columns[worst]?.expendable ?? 0) ? index : worst),
      -1,
    );
    if (victim === -1) break;
    const { group } = columns[victim];
    shown = shown.filter((index) => index !== victim && (group === undefined || columns[index].group !== group));
  }
  return { shown, none };
}

/** As many columns side by side as there is room for. Each part begins with what names the rows: the first column, and
    those of text behind it as far as they leave room for a number. */
function splitColumns(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  shown: readonly number[],
  width: number,
): number[][] {
  const [name, ...others] = shown;
  if (name === undefined) return [];
  const isTooWide = (part: readonly number[]): boolean =>
    leastWidth(columns, part, measure(columns, rows, part)) > width;
  const names = shown.slice(
    0,
    Math.max(
      1,
      shown.findIndex((index) => columns[index].align === 'right'),
    ),
  );
  const begin = (index: number): number[] => {
    const leading = [name];
    for (const other of names.slice(1)) if (!isTooWide([...leading, other, index])) leading.push(other);
    return [...leading, index];
  };
  const parts: number[][] = [[name]];
  for (const index of others) {
    const longer = [...parts[parts.length - 1], index];
    if (longer.length > 2 && isTooWide(longer)) parts.push(names.includes(index) ? [name, index] : begin(index));
    else parts[parts.length - 1] = longer;
  }
  return parts;
}

function renderPart(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  shown: readonly number[],
  width: number,
): string {
  const widths = measure(columns, rows, shown);
  shrink(columns, shown, widths, width);
  const lines = [
    shown.map((index) => columns[index].heading),
    widths.map((size) => '─'.repeat(size)),
    ...rows.map((row) =>
      // One text, whatever columns there are: it takes the whole line.
      row.length === 1 && shown.length > 1
        ? [{ colSpan: shown.length, content: shorten(row[0], width), hAlign: 'left' as const }]
        : shown.map((index, at) => (columns[index].isList ? cut : shorten)(row[index] ?? '', widths[at])),
    ),
  ];
  const aligns = shown.map((index) => columns[index].align);
  const parts = Array.from({ length: Math.ceil(lines.length / LINES_AT_ONCE) }, (_, part) => {
    const table = new Table({
      chars: noLines,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
      colWidths: widths,
      colAligns: aligns,
    });
    table.push(...lines.slice(part * LINES_AT_ONCE, (part + 1) * LINES_AT_ONCE));
    return table.toString();
  });
  return parts
    .join('\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function measure(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  shown: readonly number[],
): number[] {
  const cells = shown.length > 1 ? rows.filter((row) => row.length > 1) : rows;
  return shown.map((index) =>
    cells.reduce((widest, row) => Math.max(widest, (row[index] ?? '').length), columns[index].heading.length),
  );
}

function gaps(shown: readonly number[]): number {
  return GAP.length * (shown.length - 1);
}

function leastWidth(columns: readonly TextColumn[], shown: readonly number[], widths: readonly number[]): number {
  return (
    gaps(shown) +
    shown.reduce(
      (sum, index, at) =>
        sum + Math.min(widths[at], Math.max(columns[index].shortest ?? Infinity, columns[index].heading.length)),
      0,
    )
  );
}

/** Takes the excess from the widest column that can be shortened, again and again. */
function shrink(columns: readonly TextColumn[], shown: readonly number[], widths: number[], width: number): void {
  for (let excess = gaps(shown) + widths.reduce((sum, size) => sum + size, 0) - width; excess > 0; excess--) {
    let widest = -1;
    shown.forEach((index, at) => {
      const shortest = Math.max(columns[index].shortest ?? Infinity, columns[index].heading.length);
      if (widths[at] > shortest && (widest === -1 || widths[at] > widths[widest])) widest = at;
    });
    if (widest === -1) return;
    widths[widest]--;
  }
}
