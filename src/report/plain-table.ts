// Stage: report. Rows that somebody else chose the columns of, as a table.

import { renderTable, type TextColumn } from './text-table.js';

/** A column is of numbers if all that it has are. */
export function spellRows(rows: readonly Readonly<Record<string, unknown>>[], width: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return spellTable(
    names,
    rows.map((row) => names.map((name) => row[name])),
    width,
  );
}

export function spellTable(names: readonly string[], rows: readonly (readonly unknown[])[], width: number): string {
  const columns = names.map((heading, at): TextColumn => {
    const isOfNumbers = rows.length > 0 && rows.every((row) => row[at] == null || typeof row[at] === 'number');
    return isOfNumbers
      ? { heading, align: 'right' }
      : { heading, align: 'left', shortest: Math.max(heading.length, 12) };
  });
  const cells = rows.map((row) => row.map(spellCell));
  return `${renderTable(columns, cells, width)}\n`;
}

function spellCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isInteger(value) ? value.toLocaleString('en') : String(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
