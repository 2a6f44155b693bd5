// Both engines read the same references, and as many of each type as a replay counts.

import { afterAll, expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import type { EngineName } from '../../src/replay/replay.js';
import { RAW_COLUMNS, type RawColumn, type ReferenceRows } from '../../src/stream/reference-rows.js';
import { readReferences } from '../../src/stream/read-references.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(100, 1500));
const NAMES = ['slot', ...RAW_COLUMNS] as const;

const comparison = new Comparison([]);
afterAll(() => comparison.close());

async function allOf(
  input: ReplayInput,
  engine: EngineName,
  columns: ReadonlySet<RawColumn> = new Set(RAW_COLUMNS),
): Promise<Record<(typeof NAMES)[number], number[]>> {
  const all: Record<(typeof NAMES)[number], number[]> = {
    slot: [],
    address: [],
    size: [],
    thread: [],
    time: [],
    object: [],
  };
  for await (const rows of readReferences(input, columns, engine))
    for (const name of NAMES) for (const value of rows[name] ?? []) all[name].push(value);
  return all;
}

test(`${SEEDS} random cases`, async () => {
  const cases = new RandomCases();
  let [references, withObject] = [0, 0];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const expected = await allOf(input, 'ts');
    expect(await allOf(input, 'native'), `seed ${seed}`).toEqual(expected);
    // Without times, paths are taken whole.
    const { address } = await allOf(input, 'native', new Set(['address']));
    expect(address, `seed ${seed}`).toEqual(expected.address);
    references += expected.slot.length;
    withObject += expected.object.filter((object) => object !== 2 ** 32 - 1).length;
  }
  expect(references).toBeGreaterThan(10_000);
  expect(withObject).toBeGreaterThan(1000);
});

test('as many as a replay has', async () => {
  const cases = new RandomCases();
  let checked = 0;
  for (let seed = 1; seed <= 40; seed++) {
    // What the kernel stores is in no row.
    const input = { ...comparison.input(cases.at(seed)), window: undefined, kernelSlot: undefined };
    const [{ totals }] = replayNativelyOn(input, [], 1);
    const { slot } = await allOf(input, 'native', new Set());
    expect(slot.length, `seed ${seed}`).toBe(totals.references);
    checked++;
  }
  expect(checked).toBe(40);
});

test('whoever takes no more ends the walk', async () => {
  const input = comparison.input(new RandomCases().at(1));
  const taken: ReferenceRows[] = [];
  for await (const rows of readReferences(input, new Set(), 'native')) {
    taken.push(rows);
    break;
  }
  expect(taken.length).toBeLessThanOrEqual(1);
});
