// Stage: command line -> replay. A machine as a machine file that says all of it: given back with --machine it is the
// same machine.

import { LEVELS } from '../contract/machine.js';
import type { MachineDescription } from './machine-description.js';
import { MACHINE_FIELDS } from './machine-fields.js';
import { spellSize } from './sizes.js';

export function machineText(machine: MachineDescription): string {
  const spelled: Record<string, unknown> = { ...machine, lineBytes: machine.lineBytes };
  for (const level of LEVELS) spelled[level] = { ...machine[level], sizeBytes: spellSize(machine[level].sizeBytes) };
  if (machine.pageBytes !== undefined) spelled.pageBytes = spellSize(machine.pageBytes);
  const lines = Object.keys(MACHINE_FIELDS)
    .filter((field) => spelled[field] !== undefined)
    .map((field) => `  ${JSON.stringify(field)}: ${inline(spelled[field])}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** On one line, with room between the words. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`).join(', ')} }`;
}
