// Stage: test. Profiles of a dprof with other counters, columns or kinds: what is there is read by name, a counter that
// the file lacks is 0, one that nobody knows is left out, and what cannot be told is refused.

import lz4 from 'lz4-napi';
import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { COUNTERS, OBJECT_COUNTERS, RULES } from '../../src/contract/result.js';
import { putTogether, takeApart, type PackedProfile } from '../fuzz/damage-profile.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);
const whole = takeApart(Buffer.concat(encodeProfile(profile)));

type Lists = Record<string, string[]>;

interface Change {
  /** Instead of the file's lists. */
  readonly names?: Lists;
  /** Instead of a column's numbers; null: there is no such column. */
  readonly columns?: Readonly<Record<string, ArrayLike<number> | null>>;
  /** One more, behind the others of the list. */
  readonly added?: { readonly name: string; readonly column: Float64Array };
}

const lists = (): Lists => structuredClone(whole.directory.names as unknown as Lists);

function read({ names = lists(), columns = {}, added }: Change): Profile {
  const directory = structuredClone(whole.directory);
  const listed = directory.columns.length;
  const packed: Buffer[] = [];
  directory.columns = directory.columns.flatMap((entry, at) => {
    const changed = columns[entry.name];
    if (changed === null) return [];
    const bytes =
      changed === undefined
        ? whole.packed[at]
        : lz4.compressSync(
            Buffer.from((entry.element === 'f64' ? Float64Array.from(changed) : Uint8Array.from(changed)).buffer),
          );
    packed.push(bytes);
    return [{ ...entry, length: changed?.length ?? entry.length, storedBytes: bytes.length }];
  });
  if (added !== undefined) {
    const bytes = lz4.compressSync(Buffer.from(added.column.buffer));
    directory.columns.push({
      name: added.name,
      element: 'f64',
      length: added.column.length,
      storedBytes: bytes.length,
    });
    packed.push(bytes);
  }
  const changed = { ...directory, names } as unknown as PackedProfile['directory'];
  return decodeProfile(
    putTogether({ header: whole.header, directory: changed, packed: [...packed, ...whole.packed.slice(listed)] }),
  );
}

/** The tallies' counters without one of them. */
function without(counter: string): Float64Array {
  return profile.tallies.counters.filter((_, at) => COUNTERS[at % COUNTERS.length] !== counter);
}

test('a profile that was stored before a counter was added is read: the counter is 0', () => {
  for (const counter of ['loads', 'l2.capacity', 'tlb.l2Misses']) {
    const names = { ...lists(), counters: COUNTERS.filter((name) => name !== counter) };
    const older = read({ names, columns: { 'tallies.counters': without(counter) } });
    const expected = profile.tallies.counters.map((count, at) =>
      COUNTERS[at % COUNTERS.length] === counter ? 0 : count,
    );
    expect(older).toEqual({ ...profile, tallies: { ...profile.tallies, counters: expected } });
  }
});

test('counters that nobody knows are left out, and their order in the file is the file’s', () => {
  const rows = profile.tallies.type.length;
  const stored = ['brand.new', ...COUNTERS.toReversed()];
  const counters = Array.from({ length: rows * stored.length }, (_, at) => {
    const [row, column] = [Math.floor(at / stored.length), at % stored.length];
    return column === 0 ? 7 : profile.tallies.counters[row * COUNTERS.length + COUNTERS.length - column];
  });
  expect(read({ names: { ...lists(), counters: stored }, columns: { 'tallies.counters': counters } })).toEqual(profile);
});

test('a measure that the file does not have is 0, a column that nobody knows is left out, a key must be there', () => {
  const { unusedBytes } = profile;
  expect(read({ columns: { 'unusedBytes.unusedBytes': null } }).unusedBytes).toEqual({
    ...unusedBytes,
    unusedBytes: new Float64Array(unusedBytes.type.length),
  });
  expect(read({ added: { name: 'unusedBytes.writtenBytes', column: Float64Array.of(1, 2, 3) } })).toEqual(profile);
  expect(() => read({ columns: { 'unusedBytes.type': null } })).toThrow(
    'column list at offset 32: expected unusedBytes.type (u32), found none',
  );
  expect(() => read({ added: { name: 'unusedBytes.unusedBytes', column: Float64Array.of(1) } })).toThrow(
    'column list at offset 32: expected each column once, found unusedBytes.unusedBytes twice',
  );
});

test('rules are told by name; a row by a rule that nobody knows is refused', () => {
  const rules = [...RULES].reverse();
  const turned = Array.from(profile.tallies.rule, (rule) => RULES.length - 1 - rule);
  expect(read({ names: { ...lists(), rules }, columns: { 'tallies.rule': turned } })).toEqual(profile);

  const more = { ...lists(), rules: [...RULES, 'guess'] };
  expect(read({ names: more })).toEqual(profile);
  const guessed = Array.from(profile.tallies.rule, (rule, row) => (row === 2 ? RULES.length : rule));
  expect(() => read({ names: more, columns: { 'tallies.rule': guessed } })).toThrow(
    `column tallies.rule, row 2, at offset 0: expected one of the rules ${RULES.join(', ')}, found guess`,
  );
  const outside = Array.from(profile.tallies.rule, () => RULES.length + 1);
  expect(() => read({ names: more, columns: { 'tallies.rule': outside } })).toThrow(
    'column tallies.rule, row 0, at offset 0: expected an index below 11, found 11',
  );
});

test('counters of objects that nobody knows are left out', () => {
  const [first] = profile.objectCounters.counter;
  const names = { ...lists(), 'object counters': OBJECT_COUNTERS.map((name, at) => (at === first ? 'new' : name)) };
  const kept = (_: number, row: number): boolean => profile.objectCounters.counter[row] !== first;
  const { object, counter, value } = profile.objectCounters;
  expect(object.filter(kept).length).toBeLessThan(object.length);
  expect(read({ names })).toEqual({
    ...profile,
    objectCounters: { object: object.filter(kept), counter: counter.filter(kept), value: value.filter(kept) },
  });
});

test('lists that are none, and numbers that no file of that length holds, are refused', () => {
  const refused =
    (names: unknown): (() => Profile) =>
    () =>
      read({ names: names as Lists });
  expect(refused({ ...lists(), counters: [] })).toThrow(
    'names of the profile at offset 32: expected counters, each once',
  );
  expect(refused({ ...lists(), counters: ['loads', 'loads'] })).toThrow('expected counters, each once');
  expect(refused({ ...lists(), counters: [1] })).toThrow('expected counters, each once');
  expect(refused([])).toThrow('names of the profile at offset 32: expected lists of names');
  const { rules: _, ...others } = lists();
  expect(refused(others)).toThrow('names of the profile at offset 32: expected a list of rules, found none');
  expect(() => read({ names: { ...lists(), counters: ['loads', 'stores', 'x'] } })).toThrow(
    /^column tallies.counters at offset \d+: expected rows of 3, found \d+ numbers$/,
  );
  const many = new Float64Array(4_000_000);
  expect(() => read({ names: { ...lists(), counters: ['loads'] }, columns: { 'tallies.counters': many } })).toThrow(
    /^column tallies.counters at offset \d+: expected at most \d+ bytes, found \d+ numbers$/,
  );
});
