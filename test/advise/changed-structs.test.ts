// Structs before and after a change: offsets are the compiler's, and what the run made of fields is that of all objects
// that have them.

import { expect, test } from 'vitest';
import { resolve } from 'node:path';
import { changedStructs, type LaidStruct } from '../../src/advise/changed-structs.js';
import { compileNow } from '../../src/what-if/compile-types.js';
import { layoutsOf } from '../../src/what-if/new-layouts.js';
import { parseChanges, type StructWords } from '../../src/what-if/parse-changes.js';
import { compiled } from '../patch/patched-source.js';

const BIN = resolve(import.meta.dirname, '../../bin');

const { catalog } = compiled({
  'a.c': `struct inner { char a; long b; unsigned low : 3, high : 7; };
struct outer { char kind; struct inner in[2]; union { int i; float f; }; long last; };
void use(struct outer *p, struct inner *q) {
  __builtin_memset(p, 0, sizeof *p);
  __builtin_memset(q, 0, sizeof *q);
}
`,
});

const ROWS = [
  {
    type: 'struct outer',
    references: 100,
    missLatencyCycles: 1000,
    fields: [
      { field: 'in[].b', references: 60, missLatencyCycles: 900 },
      { field: 'last', references: 30, missLatencyCycles: 100 },
      { field: 'f', references: 1, missLatencyCycles: 0 },
    ],
  },
  {
    type: 'struct inner',
    references: 10,
    missLatencyCycles: 0,
    fields: [{ field: 'a', references: 1, missLatencyCycles: 0 }],
  },
];

function changed(words: StructWords, withPointer = false): ReturnType<typeof changedStructs> {
  const changes = parseChanges(catalog, words);
  const pointers = new Set(withPointer ? changes.map(({ type }) => type) : []);
  return changedStructs(
    catalog,
    ROWS,
    { changes, layouts: compileNow(layoutsOf(catalog, changes, BIN, pointers)) },
    64,
  );
}

const spell = ({ sizeBytes, fields }: LaidStruct): string[] => [
  `${sizeBytes}`,
  ...fields.map(
    ({ name, offsetBytes, firstBit, references, use }) =>
      `${offsetBytes}${firstBit === undefined ? '' : `:${firstBit}`} ${name} ${references} ${use}`,
  ),
];

test('a new order, of a struct that is a member of another', () => {
  const [inner, ...others] = changed({ reorder: ['struct inner: b,high,low,a'] });
  expect(others.map(({ type, isNamed }) => [type, isNamed])).toEqual([['struct outer', false]]);
  expect([inner.type, inner.isNamed, inner.cold]).toEqual(['struct inner', true, null]);
  expect(spell(inner.before)).toEqual([
    '24',
    '0 a 1 cold',
    '8 b 60 hot',
    '16:0 low 0 never used',
    '16:3 high 0 never used',
  ]);
  expect([inner.before.references, inner.before.cycles]).toEqual([70, 900]);
  expect(spell(inner.after)).toEqual([
    '16',
    '0 b 60 hot',
    '8:0 high 0 never used',
    '8:7 low 0 never used',
    '10 a 1 cold',
  ]);
});

test('what holds it is laid out anew, too', () => {
  const [inner, outer] = changed({ align: ['struct inner=32'] });
  expect([inner.after.alignBytes, inner.after.padding, inner.isNamed]).toEqual([32, 12, true]);
  expect([outer.type, outer.isNamed]).toEqual(['struct outer', false]);
  expect(spell(outer.before)).toEqual(['72', '0 kind 0 never used', '8 in 60 hot', '56  1 cold', '64 last 30 hot']);
  expect(spell(outer.after)).toEqual(['128', '0 kind 0 never used', '32 in 60 hot', '96  1 cold', '104 last 30 hot']);
  expect([outer.before.cacheLines, outer.after.cacheLines]).toEqual([2, 2]);
});

test('a part of its own, and padding', () => {
  const [split] = changed({ split: ['struct outer: last,in | *'] }, true);
  expect(spell(split.after)).toEqual(['64', '0 last 30 hot', '8 in 60 hot', '56 cold 0 new']);
  expect(split.cold!.name).toBe('struct outer_cold');
  expect(spell(split.cold!)).toEqual(['8', '0 kind 0 never used', '4  1 cold']);
  const [padded] = changed({ pad: ['struct inner=+64'] });
  expect(spell(padded.after)).toEqual([...spell({ ...padded.before, sizeBytes: 88 }), '18 pad 0 new']);
});
