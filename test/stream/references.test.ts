// Both engines make the same rows, on any machine, in any order, in any window; they add up to what a replay counts.

import { afterAll, expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { isPlainMachine } from '../../src/contract/complete-machine.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { classAt, costOf, HIT, NO_SERVER } from '../../src/contract/outcome-word.js';
import type { EngineName } from '../../src/replay/replay.js';
import { RAW_COLUMNS, type RawColumn, type ReferenceRows } from '../../src/stream/reference-rows.js';
import { hasValue } from '../../src/stream/validity.js';
import { PackedColumn } from '../../src/stream/packed-column.js';
import { readPacked, readReferences } from '../../src/stream/read-references.js';
import { COLUMN_NAMES, STREAM_COLUMNS, type StreamColumn } from '../../src/stream/stream-columns.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(60, 1500));
const NAMES = RAW_COLUMNS;
/** By level. */
const EVICTED = ['evicted', 'l2Evicted', 'llcEvicted'] as const;

type Rows = Record<Exclude<RawColumn, 'value'>, number[]> & { readonly value: (bigint | null)[] };

const comparison = new Comparison([]);
afterAll(() => comparison.close());

async function allOf(
  input: ReplayInput,
  engine: EngineName,
  columns: ReadonlySet<RawColumn> = new Set(RAW_COLUMNS),
  workers = 1,
): Promise<Rows> {
  const all: Rows = {
    ...(Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Record<RawColumn, number[]>),
    value: [],
  };
  for await (const rows of readReferences(input, columns, engine, workers))
    for (const name of NAMES)
      if (name !== 'value') for (const value of rows[name] ?? []) all[name].push(value);
      else rows.value?.forEach((value, row) => void all.value.push(hasValue(rows.valueKnown!, row) ? value : null));
  return all;
}

/** The first row that differs, to be read. */
function firstDifference(found: Rows, expected: Rows, names: readonly (keyof Rows)[] = NAMES): string | null {
  const at = expected.slot.findIndex((_, row) => names.some((name) => found[name][row] !== expected[name][row]));
  if (at < 0) return found.slot.length === expected.slot.length ? null : `${found.slot.length} rows`;
  const rowOf = (rows: Rows): string => names.map((name) => `${name} ${rows[name][at]?.toString(16)}`).join(' ');
  return `row ${at}: ${rowOf(found)}\n  instead of ${rowOf(expected)}`;
}

test(`${SEEDS} random cases`, async () => {
  const cases = new RandomCases();
  const met = { references: 0, objects: 0, invalidated: 0, several: 0, callers: 0, owners: 0, values: 0 };
  const evicted = [0, 0, 0];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const expected = await allOf(input, 'ts');
    expect(firstDifference(await allOf(input, 'native', undefined, 1 + (seed % 3)), expected), `seed ${seed}`).toBe(
      null,
    );
    // What is asked for decides how references are laid out; what comes of them is the same.
    const some = RAW_COLUMNS.filter((name, index) => name === 'slot' || (seed * 2654435761) & (1 << (index + 8)));
    const found = await allOf(input, 'native', new Set(some), 1 + (seed % 2));
    expect(firstDifference(found, expected, some), `seed ${seed}: ${some.join()}`).toBe(null);
    met.references += expected.slot.length;
    met.objects += expected.object.filter((object) => object !== NO_INDEX).length;
    for (const [level, name] of EVICTED.entries()) evicted[level] += expected[name].filter((line) => line !== 0).length;
    met.values += expected.value.filter((value) => value !== null).length;
    met.invalidated += expected.invalidated.filter((l1s) => l1s > 0).length;
    met.owners += expected.l2EvictedObject.filter((object) => object !== NO_INDEX).length;
    met.callers += expected.caller2.filter((caller) => caller !== NO_INDEX).length;
    met.several += expected.outcome.filter((word) => costOf(word).server === NO_SERVER).length;
  }
  expect(met.references).toBeGreaterThan(10_000);
  for (const times of evicted) expect(times).toBeGreaterThan(100);
  for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(100);
});

async function packedBy(input: ReplayInput, engine: EngineName, hasNone: boolean): Promise<unknown[][]> {
  const columns = COLUMN_NAMES.map((name) => new PackedColumn(name, input, { hasNone }));
  const all = columns.map(() => [] as unknown[]);
  for await (const { count, columns: packed } of readPacked(input, columns, engine, 2))
    packed.forEach(({ values, validity }, index) => {
      expect(values.length).toBe(count);
      for (let row = 0; row < count; row++) {
        const isThere = validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;
        all[index].push(isThere ? values[row] : null);
      }
    });
  return all;
}

test('packed columns', async () => {
  const cases = new RandomCases();
  let [missing, none] = [0, 0];
  for (let seed = FIRST; seed < FIRST + SEEDS / 4; seed++) {
    const input = comparison.input(cases.at(seed));
    for (const hasNone of [false, true]) {
      const expected = await packedBy(input, 'ts', hasNone);
      expect(await packedBy(input, 'native', hasNone), `seed ${seed}`).toEqual(expected);
      const lacking = expected.flat().filter((value) => value === null).length;
      if (hasNone) none += lacking;
      else missing += lacking;
    }
  }
  expect(missing).toBeGreaterThan(10_000);
  expect(none).toBeLessThan(missing / 2); // words have a place for it
});

test('a packed value is what the column makes of the row', async () => {
  const cases = new RandomCases();
  for (let seed = 1; seed <= 20; seed++) {
    const input = comparison.input(cases.at(seed));
    const raw = await allOf(input, 'ts');
    for (const hasNone of [false, true]) {
      const packed = await packedBy(input, 'native', hasNone);
      COLUMN_NAMES.forEach((name, index) => {
        const { words } = new PackedColumn(name, input, { hasNone });
        const { needs, valueOf }: StreamColumn = STREAM_COLUMNS[name];
        if (needs === 'value') return expect(packed[index], `seed ${seed}: ${name}`).toEqual(raw.value);
        const made = packed[index].map((value) => (words === null ? value : (words[value as number] ?? null)));
        expect(made, `seed ${seed}: ${name}`).toEqual(raw[needs].map(valueOf(input)));
      });
    }
  }
});

test('what a replay counts', async () => {
  const cases = new RandomCases();
  for (let seed = 1; seed <= 40; seed++) {
    const input = comparison.input(cases.at(seed));
    const [{ totals }] = replayNativelyOn(input, [], 1);
    const asked = new Set<RawColumn>(['slot', 'outcome', 'invalidated', ...EVICTED]);
    const { outcome, invalidated, ...rows } = await allOf(input, 'native', asked);
    const missed = [0, 1, 2].map((level) => outcome.filter((word) => classAt(word, level) !== HIT).length);
    expect({ references: outcome.length, missed }, `seed ${seed}`).toEqual({
      references: totals.references,
      missed: totals.misses,
    });
    const evicted = EVICTED.map((name) => rows[name].filter((line) => line !== 0).length);
    if (isPlainMachine(input.machine)) expect(evicted, `seed ${seed}`).toEqual(totals.evictions);
    else evicted.forEach((times, level) => expect(times).toBeLessThanOrEqual(totals.evictions[level]));
    expect(
      invalidated.reduce((sum, l1s) => sum + l1s, 0),
      `seed ${seed}`,
    ).toBe(totals.invalidations);
  }
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
