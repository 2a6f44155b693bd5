// Stage: test. What a table of a report has to say, worked out again from the JSON of the views: a column's id names the paths in the row that
// are added up, and behind a slash those of what it is a share of.

import { expect } from 'vitest';
import type { ReadTable } from './browser.js';

type Json = Record<string, any>;

function read(row: Json, path: string): any {
  return path.split('.').reduce((value: any, key) => value?.[key], row);
}

function total(row: Json, envelope: Json, paths: string): number {
  return paths.split('+').reduce((sum, path) => sum + Number(read(path.startsWith('totals.') ? envelope : row, path) ?? 0), 0);
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
  return unit === 0 ? `${Math.round(bytes)} B` : `${(bytes / 1024 ** unit).toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`;
}

function spell(id: string, unit: string, row: Json, envelope: Json): string {
  const [part, whole] = id.split('/');
  const value = read(row, id);
  switch (unit) {
    case 'count':
      return grouped.format(total(row, envelope, part));
    case 'share':
      return spellShare(total(row, envelope, part), total(row, envelope, whole));
    case 'bytes':
      return value === null || value === undefined ? '-' : spellBytes(value);
    case 'average':
      return value === null || value === undefined ? '-' : new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(Number(value.toFixed(1)));
    default:
      throw new Error(`no number: ${unit}`);
  }
}

const NUMERIC = ['count', 'share', 'bytes', 'average'];

/** Every number that is in sight; gives how many there were. `rows` in the order in which the page got them. */
export function expectNumbers(table: ReadTable, rows: readonly Json[], envelope: Json): number {
  expect(table.rows).toBe(rows.length);
  expect(table.drawn.length).toBeGreaterThan(0);
  let compared = 0;
  for (const { row, cells } of table.drawn) {
    table.columns.forEach(({ id, unit }, index) => {
      if (!NUMERIC.includes(unit)) return;
      expect(`${id} of row ${row}: ${cells[index]}`).toBe(`${id} of row ${row}: ${spell(id, unit, rows[row], envelope)}`);
      compared++;
    });
  }
  return compared;
}
