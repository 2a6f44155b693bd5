// Stage: command line -> replay. A machine described in a JSON file; fields that it does not name are those of its
// base, the default machine.
//
//   {"base": "zen3", "cores": 4, "l1": "48K/12", "llc": {"policy": "srrip"}, "memoryLatencyCycles": 300, "tlb": "none"}

import { readFileSync } from 'node:fs';
import type { TlbLevel } from '../contract/machine.js';
import { DEFAULT_MACHINE, TLB_PENALTIES, type MachineDescription } from './machine-description.js';
import {
  MACHINE_FIELDS,
  SHORTHANDS,
  SIZE_PATTERN,
  type FieldRule,
  type MachineInFile,
  type RulesOf,
  type Shorthand,
} from './machine-fields.js';
import { spellings } from './machine-schema.js';
import { PRESETS } from './presets.js';
import {
  MOST_BYTES,
  parseChoice,
  parseCount,
  parseGeometry,
  parseSize,
  parseTlbLevel,
  spellValue,
  usageError,
} from './sizes.js';

const MANUAL = 'docs/machines.md describes machine files, docs/machine.schema.json says the same to an editor';
const MOST_FILE_BYTES = 1 << 20;

type Fields = Record<string, unknown>;

export function readMachineFile(path: string): MachineDescription {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(
      `--machine ${path}: neither a preset nor a file that can be read (${(error as NodeJS.ErrnoException).code})`,
      `use ${Object.keys(PRESETS).join(', ')}, or the path of a JSON file; ${MANUAL}`,
    );
  }
  if (text.length > MOST_FILE_BYTES) throw usageError(`${path}: ${text.length} characters are no machine`, MANUAL);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw usageError(`${path}: not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`, MANUAL);
  }
  if (!isObject(json)) throw usageError(`${path}: not a JSON object`, MANUAL);
  return describeMachineFile(path, json);
}

/** `path`: only for messages, and for the name of a machine that has none. */
export function describeMachineFile(path: string, json: Readonly<Fields>): MachineDescription {
  const base = Object.hasOwn(json, 'base')
    ? PRESETS[parseChoice(`${path}: base`, json.base, Object.keys(PRESETS))].describe()
    : DEFAULT_MACHINE;
  const named: MachineInFile = { ...base, name: path };
  const { $schema, base: _, ...merged } = mergeFields(path, '', MACHINE_FIELDS, named, json);
  return merged;
}

function mergeFields<T extends object>(
  path: string,
  prefix: string,
  fields: RulesOf<T>,
  base: T,
  json: Readonly<Fields>,
): T {
  const merged = { ...base };
  for (const [name, value] of Object.entries(json)) {
    if (!isField(fields, name))
      throw usageError(`${path}: unknown field "${prefix}${name}"`, `known fields: ${Object.keys(fields).join(', ')}`);
    const parsed = parseField(path, `${prefix}${name}`, fields[name], merged[name], value);
    if (parsed === undefined) delete merged[name];
    else merged[name] = parsed as T[typeof name]; // the rule is one for values of this type
  }
  return merged;
}

function isField<T>(fields: RulesOf<T>, name: string): name is keyof T & string {
  return Object.hasOwn(fields, name);
}

function parseField(path: string, name: string, rule: FieldRule, base: unknown, value: unknown): unknown {
  const field = `${path}: ${name}`;
  switch (rule.kind) {
    case 'text':
      if (typeof value !== 'string') throw usageError(`${field}: ${spellValue(value)} is not a string`, rule.about);
      return value;
    case 'count':
      return parseCount(field, typeof value === 'number' ? value : JSON.stringify(value), rule.least, rule.most);
    case 'size':
      return parseSizeField(field, rule.of, value);
    case 'choice':
      return parseChoice(field, value, rule.of);
    case 'choices':
      return parseChoices(field, rule.of, value);
    case 'group':
      return parseGroup(path, name, rule, base, value);
  }
}

function parseSizeField(field: string, of: readonly number[] | undefined, value: unknown): number {
  if (of !== undefined) {
    const found = of.find((bytes) => bytes === value || spellings(bytes).includes(value as string));
    if (found === undefined)
      throw usageError(
        `${field}: '${spellValue(value)}' is not one of ${of.flatMap(spellings).join(', ')}`,
        `write ${of.flatMap(spellings).join(' or ')}`,
      );
    return found;
  }
  const isSize =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 1 && value < MOST_BYTES
      : typeof value === 'string' && new RegExp(SIZE_PATTERN).test(value);
  if (!isSize)
    throw usageError(
      `${field}: '${spellValue(value)}' is not a size`,
      'write bytes, or a string of a number with K, M or G: 64, "32K", "1M"',
    );
  return parseSize(field, value);
}

function parseChoices(field: string, of: readonly string[], value: unknown): string[] {
  if (!Array.isArray(value))
    throw usageError(`${field}: ${spellValue(value)} is not a list`, `a list of ${of.join(', ')}; [] for none`);
  const chosen = value.map((one) => parseChoice(field, one, of));
  if (new Set(chosen).size < chosen.length)
    throw usageError(`${field}: ${chosen.join(', ')} says one twice`, 'name each once');
  return chosen;
}

function parseGroup(
  path: string,
  name: string,
  rule: FieldRule & { kind: 'group' },
  base: unknown,
  value: unknown,
): unknown {
  const { fields, short, canBeNone, needs = [] } = rule;
  const field = `${path}: ${name}`;
  if (canBeNone && value === 'none') return undefined;
  const before: Fields = { ...(short === 'tlb' ? TLB_PENALTIES : {}), ...(base as Fields | undefined) };
  if (typeof value === 'string' && new RegExp(SHORTHANDS[short].pattern).test(value))
    return { ...before, ...parseShorthand(field, short, value) };
  if (!isObject(value)) {
    throw usageError(
      `${field}: '${spellValue(value)}' is neither ${SHORTHANDS[short].example} nor an object` +
        `${canBeNone ? ' nor "none"' : ''}`,
      `for example "${name.split('.').at(-1)}": ${SHORTHANDS[short].example}`,
    );
  }
  const merged = mergeFields(path, `${name}.`, fields, before, value);
  const missing = needs.find((need) => merged[need] === undefined);
  if (missing !== undefined)
    throw usageError(`${field}.${missing} is missing`, `${rule.about}; in short ${SHORTHANDS[short].example}`);
  return merged;
}

/** The whole of what it says: "64/4" takes the second level away. */
function parseShorthand(field: string, short: Shorthand, text: string): Fields {
  if (short === 'size/ways') return parseGeometry(field, text);
  if (short === 'entries/ways') return { ...parseTlbLevel(field, text) };
  return parseTlbLevels(field, text);
}

export function parseTlbLevels(field: string, text: string): { l1: TlbLevel; l2: TlbLevel | undefined } {
  const [l1, l2] = text.split(',').map((level) => parseTlbLevel(field, level));
  return { l1, l2 };
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
