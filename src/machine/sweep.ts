// Stage: command line -> replay. One level's size given as a range ("8K..256K") to one request for each size.

import { LEVELS, type LevelName } from '../contract/machine.js';
import type { MachineRequest } from './machine-request.js';
import { parseCount, parseSize, spellSize, usageError } from './sizes.js';

export interface Sweep {
  readonly level: LevelName;
  /** Smallest first. */
  readonly points: readonly SweepPoint[];
}

export interface SweepPoint {
  /** "8K/8". */
  readonly label: string;
  readonly sizeBytes: number;
  readonly request: MachineRequest;
}

const EXAMPLE = 'for example --l1 8K..256K, or --llc 1M..64M/16';
const MOST_POINTS = 64;

/**
 * "8K..256K": doubled from the first size to the last, the last one included; "8K,12K,16K": those; with "/4" that many
 * ways, else as many as the machine has. `waysOf`: of the machine that the sizes are tried on.
 */
export function parseSweep(request: MachineRequest, waysOf: (level: LevelName) => number): Sweep {
  const swept = LEVELS.filter((level) => request[level] !== undefined && /\.\.|,/.test(request[level]));
  if (swept.length !== 1) {
    const what =
      swept.length === 0
        ? 'no level has a range of sizes'
        : `${swept.map((level) => `--${level}`).join(' and ')} both have a range of sizes`;
    throw usageError(`sweep: ${what}`, EXAMPLE);
  }
  const [level] = swept;
  const flag = `--${level}`;
  const text = request[level]!;
  const [sizes, waysText, ...rest] = text.split('/');
  if (rest.length > 0) throw usageError(`${flag} ${text}: not SIZES/WAYS`, EXAMPLE);
  const ways = waysText === undefined ? waysOf(level) : parseCount(flag, waysText);
  const bytes = [...new Set(sizes.split(',').flatMap((part) => parseRange(flag, part)))].sort((a, b) => a - b);
  if (bytes.length > MOST_POINTS)
    throw usageError(`${flag} ${text}: ${bytes.length} sizes are more than ${MOST_POINTS}`, EXAMPLE);
  const points = bytes.map((sizeBytes) => {
    const label = `${spellSize(sizeBytes)}/${ways}`;
    return { label, sizeBytes, request: { ...request, [level]: label } };
  });
  return { level, points };
}

function parseRange(flag: string, text: string): number[] {
  const [firstText, lastText = firstText, ...rest] = text.split('..');
  if (rest.length > 0) throw usageError(`${flag} ${text}: not FIRST..LAST`, EXAMPLE);
  const [first, last] = [parseSize(flag, firstText), parseSize(flag, lastText)];
  if (first > last) throw usageError(`${flag} ${text}: ${firstText} is more than ${lastText}`, EXAMPLE);
  const sizes: number[] = [];
  for (let size = first; size < last; size *= 2) sizes.push(size);
  return [...sizes, last];
}
