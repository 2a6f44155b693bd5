// Stage: test. How much of a run's estimated time is a function's or a type's: the rule of docs/advice.md, "Run time",
// written again.

import { expect, test } from 'vitest';
import { LEVELS } from '../../src/contract/machine.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { buildFunctions } from '../../src/views/functions.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';

const profile = handMadeFlowProfile();
const functions = buildFunctions(profile);
const types = buildDataProfile(profile);
const { instructions, references } = profile.totals;
/** The heap has single objects of it, and no arrays. */
const HOPPED = ['struct node'];

/** What the function waits for misses on the type, where so many of its misses are served at a time. */
function waitOf(name: string | null, type: string): number {
  const ofType = (one: string) => buildFunctions(profile, { type: one }).rows.find((row) => row.function === name);
  const own = ofType(type);
  if (own === undefined) return 0;
  const all = functions.rows.find((row) => row.function === name)!;
  const window = (instructions * (all.references.loads + all.references.stores)) / references;
  return LEVELS.reduce((sum, level) => {
    const together = types.rows
      .filter((row) => !HOPPED.includes(row.type))
      .reduce((misses, row) => misses + (ofType(row.type)?.levels[level].misses ?? 0), 0);
    const atATime = HOPPED.includes(type) ? 1 : Math.min(10, 1 + (224 * together) / window);
    return sum + own.levelCycles[level] / atATime;
  }, 0);
}

const names = functions.rows.map((row) => row.function);
const typeNames = [...new Set(types.rows.map(({ type }) => type))];

test('a function has its instructions and waits for its misses', () => {
  expect(functions.rows.length).toBeGreaterThan(2);
  for (const row of functions.rows) {
    const own = (0.3 * instructions * (row.references.loads + row.references.stores)) / references;
    const waits = typeNames.reduce((sum, type) => sum + waitOf(row.function, type), 0);
    expect(Math.abs(row.runCycles! - own - waits), String(row.function)).toBeLessThan(1);
  }
});

test('a type has what functions wait for its misses', () => {
  for (const type of typeNames) {
    const found = types.rows.filter((row) => row.type === type).reduce((sum, row) => sum + row.runCycles!, 0);
    const waits = names.reduce((sum, name) => sum + waitOf(name, type), 0);
    expect(Math.abs(found - waits), type).toBeLessThan(1);
  }
});

test('all functions have all of it, all types what is not instructions', () => {
  const sumOf = (rows: readonly { readonly runCycles?: number }[]): number =>
    rows.reduce((sum, row) => sum + row.runCycles!, 0);
  const { runCycles: cycles, cpi } = functions.totals as { runCycles: number; cpi: number };
  expect(types.totals).toEqual(functions.totals);
  expect(cpi).toBe(0.3);
  expect(Math.abs(sumOf(functions.rows) - cycles)).toBeLessThanOrEqual(functions.rows.length);
  expect(Math.abs(sumOf(types.rows) + cpi * instructions - cycles)).toBeLessThanOrEqual(types.rows.length);
});
