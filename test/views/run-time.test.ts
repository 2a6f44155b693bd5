// Stage: test. How much of a run's estimated time is a function's or a type's: the rule of docs/advice.md, "Run time",
// written again.

import { describe, expect, test } from 'vitest';
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

describe('where the time of the code is measured', () => {
  const [first, second, ...left] = names.filter((name): name is string => name !== null);
  const measured = (
    functions: readonly (readonly [name: string, parts: readonly (readonly [string, number])[]])[],
  ) => ({
    cpi: {
      cycles: 2,
      isMeasured: true,
      functions: new Map(functions.map(([name, parts]) => [name, new Map(parts)])),
    },
  });
  /** What the function computes: its time less its waits. */
  const computeOf = (options: ReturnType<typeof measured>, name: string): number => {
    const time = buildFunctions(profile, options).rows.find((row) => row.function === name)!.runCycles!;
    return time - typeNames.reduce((sum, type) => sum + waitOf(name, type), 0);
  };
  const isNear = (found: number, wanted: number): void => expect(Math.abs(found - wanted)).toBeLessThan(1);
  const usual = (name: string): number => {
    const { loads, stores } = functions.rows.find((row) => row.function === name)!.references;
    return (2 * instructions * (loads + stores)) / references;
  };

  test('functions have what their code took of the instructions; those that nobody counted as without', () => {
    const options = measured([
      [first, [[first, 300]]],
      [second, [[second, 100]]],
    ]);
    const rest = 2 * instructions - left.reduce((sum, name) => sum + usual(name), 0) - unnamed(2);
    isNear(computeOf(options, first), 0.75 * rest);
    isNear(computeOf(options, second), 0.25 * rest);
    for (const name of left) isNear(computeOf(options, name), usual(name));
  });

  test('code that is inlined is of its own function if that made references, else of the one around it', () => {
    const options = measured([
      [
        first,
        [
          [first, 100],
          [second, 600],
          ['helper', 200],
        ],
      ],
      [second, [[second, 100]]],
    ]);
    const rest = 2 * instructions - left.reduce((sum, name) => sum + usual(name), 0) - unnamed(2);
    isNear(computeOf(options, first), 0.3 * rest);
    isNear(computeOf(options, second), 0.7 * rest);
  });

  test('a function without references has a row, unless rows are chosen', () => {
    const options = measured([
      [first, [[first, 100]]],
      ['spin', [['spin', 300]]],
    ]);
    const { rows, totals } = buildFunctions(profile, options);
    const spin = rows.find((row) => row.function === 'spin')!;
    const rest = 2 * instructions - [second, ...left].reduce((sum, name) => sum + usual(name), 0) - unnamed(2);
    isNear(spin.runCycles!, 0.75 * rest);
    expect(spin).toMatchObject({ references: { loads: 0, stores: 0 }, types: 0, missLatencyCycles: 0, inlined: [] });
    const sum = rows.reduce((all, row) => all + row.runCycles!, 0);
    expect(Math.abs(sum - totals.runCycles!)).toBeLessThanOrEqual(rows.length);
    const chosen = buildFunctions(profile, { ...options, type: 'struct node' }).rows.map((row) => row.function);
    expect(chosen).not.toContain('spin');
  });

  /** Of references that belong to no function. */
  const unnamed = (cpi: number): number => {
    const row = functions.rows.find((one) => one.function === null);
    return row === undefined ? 0 : (cpi * instructions * (row.references.loads + row.references.stores)) / references;
  };
});
