// Stage: command line -> replay. A machine described in a JSON file; fields that it does not name are those of the default machine.
//
//   {"name": "small", "cores": 4, "l1": "16K/4", "l2": {"sizeBytes": "256K", "ways": 8, "latencyCycles": 12}, "memoryLatencyCycles": 300}

import { readFileSync } from 'node:fs';
import { LEVELS, type CacheLevel, type LevelName } from '../replay/machine.js';
import { DEFAULT_MACHINE, type MachineDescription } from './presets.js';
import { parseCount, parseGeometry, parseSize, usageError } from './sizes.js';

export function readMachineFile(path: string): MachineDescription {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(
      `--machine ${path}: neither a preset nor a file that can be read (${(error as NodeJS.ErrnoException).code})`,
      'use default, paper, host, or the path of a JSON file (docs/architecture.md, "Machine files")',
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw usageError(`${path}: not JSON: ${(error as Error).message}`, 'see docs/architecture.md, "Machine files"');
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) throw usageError(`${path}: not a JSON object`, 'see docs/architecture.md, "Machine files"');
  return mergeDescription(path, json as Record<string, unknown>);
}

const numberFields = ['cores', 'coresPerLlc', 'memoryLatencyCycles', 'cacheToCacheLatencyCycles'] as const;

function mergeDescription(path: string, json: Record<string, unknown>): MachineDescription {
  const merged: Record<string, unknown> = { ...DEFAULT_MACHINE, name: path };
  const known = ['name', 'lineBytes', ...numberFields, ...LEVELS];
  for (const [field, value] of Object.entries(json)) {
    if (!known.includes(field)) throw usageError(`${path}: unknown field "${field}"`, `known fields: ${known.join(', ')}`);
    if (field === 'name') merged.name = String(value);
    else if (field === 'lineBytes') merged.lineBytes = parseSize(`${path}: lineBytes`, value);
    else if ((LEVELS as readonly string[]).includes(field)) merged[field] = mergeLevel(path, field as LevelName, value);
    else merged[field] = parseCount(`${path}: ${field}`, value);
  }
  return merged as unknown as MachineDescription;
}

function mergeLevel(path: string, name: LevelName, value: unknown): CacheLevel {
  if (typeof value === 'string') return { ...DEFAULT_MACHINE[name], ...parseGeometry(`${path}: ${name}`, value) };
  if (value === null || typeof value !== 'object') throw usageError(`${path}: ${name} is neither "SIZE/WAYS" nor an object`, 'for example "l1": "32K/8"');
  const level: Record<string, unknown> = { ...DEFAULT_MACHINE[name] };
  for (const [field, number] of Object.entries(value)) {
    if (!(field in level)) throw usageError(`${path}: unknown field "${name}.${field}"`, `known fields: ${Object.keys(level).join(', ')}`);
    level[field] = field === 'sizeBytes' ? parseSize(`${path}: ${name}.sizeBytes`, number) : parseCount(`${path}: ${name}.${field}`, number);
  }
  return level as unknown as CacheLevel;
}
