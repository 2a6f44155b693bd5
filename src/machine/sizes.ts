// Stage: command line -> replay. Sizes, counts and geometries as people write them: "32K", "4", "32K/8".

import { DprofError } from '../base/dprof-error.js';
import type { CacheLevel } from '../replay/machine.js';

export function usageError(message: string, hint: string): DprofError {
  return new DprofError(message, hint, 2);
}

/** "32K/8": size and ways. */
export function parseGeometry(field: string, text: string): Pick<CacheLevel, 'sizeBytes' | 'ways'> {
  const parts = text.split('/');
  if (parts.length !== 2) throw usageError(`${field} ${text}: not SIZE/WAYS`, `for example ${field} 32K/8`);
  return { sizeBytes: parseSize(field, parts[0]), ways: parseCount(field, parts[1]) };
}

const units: Record<string, number> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

export function parseSize(field: string, value: unknown): number {
  const match = /^(\d{1,15})([KMG]?)(?:i?B)?$/i.exec(String(value).trim());
  const bytes = match === null ? NaN : Number(match[1]) * units[match[2].toUpperCase()];
  if (!(bytes > 0 && bytes <= 2 ** 40)) throw usageError(`${field}: '${String(value)}' is not a size`, 'write bytes, or a number with K, M or G: 64, 32K, 1M');
  return bytes;
}

export function parseCount(field: string, value: unknown): number {
  const text = String(value).trim();
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw usageError(`${field}: '${text}' is not a positive whole number`, `for example ${field} 4`);
  return Number(text);
}

/** 32768 as "32K". */
export function spellSize(bytes: number): string {
  const unit = [...Object.entries(units)].reverse().find(([, size]) => bytes % size === 0)!;
  return `${bytes / unit[1]}${unit[0]}`;
}
