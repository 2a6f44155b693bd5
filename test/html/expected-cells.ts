// Stage: test. What a table of a report has to say, worked out again from the JSON of the views: a column's id names
// the paths in the row that are added up, and behind a slash those of what it is a share of.

import { expect } from 'vitest';
import type { ReadTable } from './browser.js';

type Json = Record<string, any>;

function read(row: Json, path: string): any {
  return path.split('.').reduce((value: any, key) => value?.[key], row);
}

function total(row: Json, envelope: Json, paths: string): number {
  return paths
    .split('+')
    .reduce((sum, path) => sum + Number(read(path.startsWith('totals.') ? envelope : row, path) ?? 0), 0);
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

function spellShare(part: number, whole: number): string {
  if (whole === 0) return '-';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.05) return '<0.1%';
  if (percent < 100 && percent >= 99.95) return '>99.9%';
  return `${percent.toFixed(1)}%`;
}

function spellBytes(bytes: number): string {
  const unit = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return unit === 0
    ? `${Math.round(bytes)} B`
    : `${(bytes / 1024 ** unit).toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`;
}

function group(value: number, decimals: number): string {
  return new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(
    Number(value.toFixed(decimals)),
  );
}

/** Whole numbers as they are; what would read as zero is not. */
function spellRate(rate: number): string {
  if (Number.isInteger(rate)) return grouped.format(rate);
  return Math.abs(rate) < 0.0005 ? '<0.001' : group(rate, Math.abs(rate) < 100 ? 3 : 1);
}

const SPELL: Readonly<Record<string, (value: number) => string>> = {
  count: (value) => grouped.format(value),
  bytes: spellBytes,
  average: (value) => group(value, 1),
  rate: spellRate,
};

/** Spells a number of a comparison: unit "count", or with its sign "count-change". */
export function spellUnit(unit: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '-';
  if (!unit.endsWith('-change')) return SPELL[unit](value);
  return value === 0 ? '0' : `${value > 0 ? '+' : '-'}${SPELL[unit.slice(0, -'-change'.length)](Math.abs(value))}`;
}

/** Nothing where the row has none of the numbers: holes, lines around those with counts. */
function spell(id: string, unit: string, row: Json, envelope: Json, isBlank: boolean): string {
  const [part, whole] = id.split('/');
  if (isBlank && part.split('+').every((path) => read(row, path) === undefined)) return '';
  switch (unit) {
    case 'count':
      return grouped.format(total(row, envelope, part));
    case 'share':
      return spellShare(total(row, envelope, part), total(row, envelope, whole));
    case 'ratio':
      return read(row, whole) ? `${(read(row, part) / read(row, whole)).toFixed(2)} x` : '-';
    default:
      return spellUnit(unit, read(row, id));
  }
}

const NUMERIC = ['share', 'ratio', ...Object.keys(SPELL).flatMap((unit) => [unit, `${unit}-change`])];

/** Every number that is in sight; gives how many there were. `rows` in the order in which the page got them. */
export function expectNumbers(table: ReadTable, rows: readonly Json[], envelope: Json): number {
  expect(table.rows).toBe(rows.length);
  expect(table.drawn.length).toBeGreaterThan(0);
  let compared = 0;
  for (const { row, cells } of table.drawn) {
    table.columns.forEach(({ id, unit }, index) => {
      if (!NUMERIC.includes(unit)) return;
      expect(`${id} of row ${row}: ${cells[index]}`).toBe(
        `${id} of row ${row}: ${spell(id, unit, rows[row], envelope, cells[index] === '')}`,
      );
      compared++;
    });
  }
  return compared;
}
