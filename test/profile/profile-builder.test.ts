// Stage: test. An engine's numbers to the profile: names, merging, and an order that no engine's habits show in.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { counterIndex } from '../../src/profile/counters.js';
import { listBrokenInvariants } from './profile-invariants.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { COUNTERS, RELATIONS, RULES } from '../../src/contract/result.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);

function tallyLines(): string[] {
  const { tallies, strings, types } = profile;
  return Array.from(tallies.type, (type, row) => {
    const field = tallies.field[row] === 0xffffffff ? '' : `.${strings[tallies.field[row]]}`;
    const at = row * COUNTERS.length;
    const references = tallies.counters[at + counterIndex('loads')] + tallies.counters[at + counterIndex('stores')];
    return (
      `${strings[types.name[type]]}${field} ${RULES[tallies.rule[row]]} line ` +
      `${profile.sites.line[tallies.site[row]]}: ${references}`
    );
  });
}

test('every rule spells its row as the replay specification says, and rows sort by type, field, rule and site', () => {
  expect(tallyLines()).toEqual([
    '(untyped) untyped line 32: 5',
    'heap-48@make site line 31: 15',
    'int.counter object line 16: 40',
    'int.counter variable line 16: 2',
    'int scalar line 31: 7',
    'long[].totals object line 21: 8',
    'struct args.sx object line 12: 200',
    'struct args.sy object line 14: 100',
    'struct node.next object line 30: 75',
    'struct node.next descriptor line 30: 10',
    'struct node vote line 31: 6',
  ]);
});

test('types of one name from two units are one row type', () => {
  expect(Array.from(profile.types.name, (name) => profile.strings[name])).toEqual([
    '(no object)',
    '(untyped)',
    'heap-32@make',
    'heap-48@make',
    'int',
    'long[]',
    'struct args',
    'struct node',
  ]);
});

test('the order in which an engine lists its tallies and pairs leaves no mark in the file', () => {
  const reversed = buildProfile(handMadeResult('reversed'), catalog, facts);
  expect(Buffer.concat(encodeProfile(reversed))).toEqual(Buffer.concat(encodeProfile(profile)));
});

test('the relation of a pair with two objects is told by the row types of its sides', () => {
  const { sharing, strings, types } = profile;
  const name = (type: number): string => strings[types.name[type]];
  const pairs = Array.from(sharing.class, (_, row) => [
    sharing.misses[row],
    RELATIONS[sharing.relation[row]],
    name(sharing.missed.type[row]),
    name(sharing.writer.type[row]),
  ]);
  expect(pairs).toEqual([
    [60, 'same-object', 'struct args', 'struct args'],
    [30, 'same-object', 'struct args', 'struct args'],
    [3, 'same-type', 'int', 'int'],
    [1, 'same-type', 'int', 'int'],
  ]);
});

test('heap objects without a type are named by size and allocating function, variables keep their names', () => {
  const { objects, strings, types, sites } = profile;
  const rows = Array.from(objects.type, (type, row) => [
    strings[types.name[type]],
    objects.variable[row] === 0xffffffff ? null : strings[objects.variable[row]],
    sites.line[objects.site[row]],
  ]);
  expect(rows).toEqual([
    ['struct args', 'pair', 3],
    ['int', 'counter', 4],
    ['struct node', null, 7],
    ['struct node', null, 7],
    ['heap-48@make', null, 9],
    ['struct node', null, 9],
    ['long[]', 'totals', 20],
  ]);
});

test('the sums of a consistent result hold', () => {
  expect(listBrokenInvariants(profile)).toEqual([]);
});

test('matrices, unused bytes and objects that do not add up are found out', () => {
  const result = handMadeResult();
  const wrong = {
    ...result,
    totals: { ...result.totals, evictions: [36, 5, 0] as const, invalidations: 91, fills: [111, 112, 112] as const },
  };
  expect(listBrokenInvariants(buildProfile(wrong, catalog, facts))).toEqual([
    'l1 evictions by taker and owner: 35, not 36',
    'invalidations by taker and owner: 90, not 91',
    'bytes fetched into L1s: 7168, not 7104',
  ]);
  const value = result.objectCounters.value.map((count, row) => (row === 1 ? 999 : count));
  expect(
    listBrokenInvariants(
      buildProfile({ ...result, objectCounters: { ...result.objectCounters, value } }, catalog, facts),
    ),
  ).toEqual(['l1.false-sharing of all objects: 999, more than 60', 'l1 classes of all objects: 1039, not 100']);
});

test('a result whose rows do not add up to its totals is found out', () => {
  const result = handMadeResult();
  const wrong = { ...result, totals: { ...result.totals, misses: [113, 112, 112] as const } };
  expect(listBrokenInvariants(buildProfile(wrong, catalog, facts))).toEqual([
    'l1 hits and misses: 469, not 468',
    'l1 misses of all rows: 112, not 113',
    'l1 classes of all rows: 112, not 113',
    "l1 classes by DProf's rule: 112, not 113",
    'l2 hits and misses: 112, not 113',
  ]);
});
