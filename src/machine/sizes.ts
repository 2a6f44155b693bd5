// Stage: command line -> replay. Sizes, counts and geometries as people write them: "32K", "4", "32K/8".

import { DprofError } from '../base/dprof-error.js';
import type { CacheLevel, TlbLevel } from '../contract/machine.js';

export function usageError(message: string, hint: string): DprofError {
  return new DprofError(message, hint, 2);
}

/** "32K/8": size and ways. */
export function parseGeometry(field: string, text: string): Pick<CacheLevel, 'sizeBytes' | 'ways'> {
  const parts = text.split('/');
  if (parts.length !== 2)
    throw usageError(
      `${field} ${text}: not SIZE/WAYS`,
      text.includes('..') ? 'ranges of sizes are for dprof sweep' : `for example ${field} 32K/8`,
    );
  return { sizeBytes: parseSize(field, parts[0]), ways: parseCount(field, parts[1]) };
}

/** "64/4": entries and ways. */
export function parseTlbLevel(field: string, text: string): TlbLevel {
  const parts = text.split('/');
  if (parts.length !== 2) throw usageError(`${field} ${text}: not ENTRIES/WAYS`, 'for example 64/4');
  return { entries: parseCount(field, parts[0]), ways: parseCount(field, parts[1]) };
}

const units: Record<string, number> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };
export const MOST_BYTES = 2 ** 40;

export function parseSize(field: string, value: unknown): number {
  const match = /^(\d{1,15})([KMG]?)(?:i?B)?$/i.exec(spellValue(value).trim());
  const bytes = match === null ? NaN : Number(match[1]) * units[match[2].toUpperCase()];
  if (!(bytes > 0 && bytes <= MOST_BYTES))
    throw usageError(
      `${field}: '${spellValue(value)}' is not a size`,
      'write bytes, or a number with K, M or G: 64, 32K, 1M',
    );
  return bytes;
}

export const MOST_COUNT = 999_999_999;

export function parseCount(field: string, value: unknown, least = 1, most = MOST_COUNT): number {
  const text = spellValue(value).trim();
  if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most) {
    const allowed =
      least === 1 && most === MOST_COUNT ? 'a positive whole number' : `a whole number from ${least} to ${most}`;
    throw usageError(`${field}: '${text}' is not ${allowed}`, `for example ${example(field, '4')}`);
  }
  return Number(text);
}

/** "--policy l1" is what `--policy l1=lru` says; a field of another kind has its value beside it. */
function example(field: string, value: string): string {
  return /^--\S+ \S/.test(field) ? `${field}=${value}` : `${field} ${value}`;
}

export function parseChoice<Choice extends string>(field: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw usageError(
      `${field}: '${spellValue(value)}' is not one of ${choices.join(', ')}`,
      `for example ${example(field, choices[0])}`,
    );
  return found;
}

/** Spells a value of a machine file. A file can have a value of any kind where a word or number belongs. */
export function spellValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

/** 32768 as "32K". */
export function spellSize(bytes: number): string {
  const unit = [...Object.entries(units)].reverse().find(([, size]) => bytes % size === 0)!;
  return `${bytes / unit[1]}${unit[0]}`;
}
