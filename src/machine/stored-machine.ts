// Stage: file -> profile. The machine that a profile says it is of, where anything may stand: its fields by the table
// of machine files, but as plain values, and its caches whole sets. Which fields go together was checked when it was
// simulated.

import { LEVELS, type Machine } from '../contract/machine.js';
import { checkGeometry } from './check-machine.js';
import { MACHINE_FIELDS, type FieldRule, type FieldTable } from './machine-fields.js';

/** Fields of machine files that no stored machine has. */
const NOT_STORED = ['$schema', 'base'];
const NEEDED = [
  'name',
  'cores',
  'lineBytes',
  ...LEVELS,
  'coresPerLlc',
  'memoryLatencyCycles',
  'cacheToCacheLatencyCycles',
];
const NEEDED_OF_LEVEL = ['sizeBytes', 'ways', 'latencyCycles'];

/** Throws what is wrong with it. */
export function checkStoredMachine(machine: unknown): void {
  const fields = Object.fromEntries(Object.entries(MACHINE_FIELDS).filter(([name]) => !NOT_STORED.includes(name)));
  checkFields('', fields, machine, NEEDED);
  for (const level of LEVELS)
    checkFields(
      `${level}.`,
      (fields[level] as FieldRule & { kind: 'group' }).fields,
      (machine as Machine)[level],
      NEEDED_OF_LEVEL,
    );
  checkGeometry(machine as Machine);
}

function checkFields(prefix: string, fields: FieldTable, value: unknown, needs: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`${prefix || 'machine'}: no object`);
  for (const need of needs) if (!Object.hasOwn(value, need)) throw new RangeError(`${prefix}${need} is missing`);
  for (const [name, own] of Object.entries(value)) {
    if (!Object.hasOwn(fields, name) || !isOf(`${prefix}${name}`, fields[name], own))
      throw new RangeError(`${prefix}${name}: ${JSON.stringify(own).slice(0, 100)}`);
  }
}

function isOf(name: string, rule: FieldRule, value: unknown): boolean {
  switch (rule.kind) {
    case 'text':
      return typeof value === 'string';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= rule.least && (value as number) <= rule.most;
    case 'size':
      return Number.isSafeInteger(value) && (value as number) >= 1 && (rule.of?.includes(value as number) ?? true);
    case 'choice':
      return rule.of.includes(value as string);
    case 'choices':
      return Array.isArray(value) && value.every((one) => rule.of.includes(one as string));
    case 'group':
      checkFields(`${name}.`, rule.fields, value, rule.needs ?? []);
      return true;
  }
}
