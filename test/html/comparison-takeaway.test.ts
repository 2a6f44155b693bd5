// Stage: test. The sentence to take away of two runs, by hand: what changed most, by how much, per what, and what makes
// it less than it seems.

import { expect, test } from 'vitest';
import { takeAwayChange } from '../../page/comparison/takeaway.js';
import type { Words } from '../../page/takeaway.js';
import { averageChange, beforeAfter, countChange, type Work } from '../../src/diff/change.js';
import { CLASSES } from '../../src/contract/machine.js';

type Pair = readonly [before: number, after: number];

interface Row {
  readonly type: string;
  readonly field?: string;
  /** All of them by true sharing, or given by class. */
  readonly misses?: Pair;
  readonly classes?: Readonly<Record<string, Pair>>;
  readonly bytes?: Pair;
  readonly lifetime?: readonly [before: number | null, after: number | null];
}

const requests: Work = { by: 'mark', name: 'request', unit: 1, before: 10, after: 20 };

function rowOf(
  { type, field, misses = [0, 0], classes = { 'true-sharing': misses }, bytes = [0, 0], lifetime = [null, null] }: Row,
  work: Work | null,
): object {
  const count = ([before, after]: Pair) => countChange(before, after, work);
  const level = {
    misses: count(misses),
    classes: Object.fromEntries(CLASSES.map((name) => [name, count(classes[name] ?? [0, 0])])),
  };
  return {
    type,
    field: field ?? null,
    levels: { l1: level, l2: level, llc: level },
    objects: { workingSetBytes: beforeAfter(...bytes), averageLifetimeInstructions: averageChange(...lifetime) },
  };
}

function tell(
  rows: readonly Row[],
  {
    per = null,
    references = [100, 100],
    facts = {},
    fields = [],
  }: { per?: Work | null; references?: Pair; facts?: object; fields?: readonly Row[] } = {},
): { sentence: string; further: string[]; next: unknown } {
  const sum = rows.reduce<Pair>(([a, b], { misses = [0, 0] }) => [a + misses[0], b + misses[1]], [0, 0]);
  const side = { truncated: false, orderBound: { transfers: 0, orderBoundTransfers: 0 } };
  const diff = {
    rows: rows.map((row) => rowOf(row, per)),
    sort: 'misses',
    level: 'l1',
    per,
    before: side,
    after: side,
    paths: null,
    totals: {
      references: beforeAfter(...references),
      ...(rowOf({ type: '', misses: sum }, per) as { levels: object }),
    },
    ...facts,
  };
  const { sentence, further, next } = takeAwayChange(diff as never, fields.map((row) => rowOf(row, per)) as never);
  return { sentence: spell(sentence), further: further.map(spell), next };
}

function spell(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : `[${word.name}]`)).join('');
}

test('what changed most, by how much, in which class and field', () => {
  const { sentence, further, next } = tell(
    [
      { type: 'struct a', misses: [1200, 300], classes: { 'true-sharing': [1000, 0], conflict: [200, 300] } },
      { type: 'b', misses: [5, 5] },
    ],
    { fields: [{ type: 'struct a', field: 'lock', misses: [900, 0] }] },
  );
  expect(sentence).toBe('[struct a] changed most: its L1 misses went from 1,200 to 300 (-900, 0.25 x).');
  expect(further).toEqual([
    'Of its L1 misses true sharing changed most (90.9% of what all changed), from 1,000 to 0 (-1,000): another ' +
      'core had stored to the very bytes since, so that the data had to move between the cores.',
    'Its field that changed most is [lock], from 900 to 0 (-900).',
    'All types together: from 1,205 to 305 (-900, 0.25 x) L1 misses.',
  ]);
  expect(next).toEqual({ page: 'fields', type: 'struct a', label: 'Fields: which of them changed' });
});

test("per unit of work, whose name is the program's", () => {
  const { sentence, further } = tell([{ type: 'a', misses: [10, 30] }], { per: requests, references: [100, 300] });
  expect(sentence).toBe('[a] changed most: its L1 misses per [request] went from 1 to 1.500 (+0.500, 1.50 x).');
  expect(further.at(-1)).toBe('All types together: from 1 to 1.500 (+0.500, 1.50 x) L1 misses per [request].');
  const sameRate: Work = { by: 'references', unit: 1000, before: 100, after: 300 };
  expect(tell([{ type: 'a', misses: [10, 30] }], { per: sameRate }).sentence).toBe(
    'No type changed: its L1 misses per 1,000 references before and after are the same.',
  );
});

test('what went the other way is said if it is a tenth as large', () => {
  const other = (after: number): string | undefined =>
    tell([
      { type: 'a', misses: [100, 0] },
      { type: 'b', misses: [0, after] },
    ]).further.find((line) => line.startsWith('The other way'));
  expect([other(10), other(9)]).toEqual(['The other way went most [b]: from 0 to 10 (+10).', undefined]);
});

test('sorted by something of objects', () => {
  const bytes = tell([{ type: 'a', bytes: [1024, 3072] }], { facts: { sort: 'working-set' }, per: requests });
  expect(bytes.sentence).toBe('[a] changed most: its working set went from 1.0 KiB to 3.0 KiB (+2.0 KiB, 3.00 x).');
  expect(bytes.next).toMatchObject({ page: 'objects', type: 'a' });
  expect(
    tell(
      [
        { type: 'a', lifetime: [null, 5] },
        { type: 'b', lifetime: [8, 4] },
      ],
      { facts: { sort: 'lifetime' } },
    ).sentence,
  ).toBe('[b] changed most: its average lifetime went from 8.0 to 4.0 (-4.0, 0.50 x).');
});

test('a working set that is not what rows are sorted by is said if it changed by a twentieth', () => {
  const line = (after: number): string | undefined =>
    tell([{ type: 'a', misses: [2, 1], bytes: [1000, after] }]).further.find((one) =>
      one.startsWith('The working set'),
    );
  expect([line(1060), line(1050)]).toEqual([
    'The working set of [a] changed most: from 1000 B to 1.0 KiB (+60 B, 1.06 x).',
    undefined,
  ]);
});

test('nothing changed, nothing recorded', () => {
  expect(tell([{ type: 'a', misses: [7, 7] }])).toEqual({
    sentence: 'No type changed: its L1 misses before and after are the same.',
    further: ['All types together: from 7 to 7 L1 misses.'],
    next: null,
  });
  expect(tell([], { references: [0, 0] }).sentence).toBe(
    'Nothing was recorded: neither run made a reference that dprof saw.',
  );
});

test('what makes it less than it seems', () => {
  const side = { truncated: true, orderBound: { transfers: 10, orderBoundTransfers: 6 } };
  const facts = { after: side, paths: { counts: { appeared: 2, vanished: 1, changed: 1, alike: 9 } } };
  expect(tell([{ type: 'a', misses: [1, 2] }], { references: [100, 300], facts }).further.slice(-4)).toEqual([
    '2 paths appeared, 1 vanished, 1 is taken more or less often.',
    'The runs did not do the same: the one after made 3.00 x the references of the one before. --per MARK ' +
      'compares them per unit of work.',
    'The trace after was cut: its numbers are of the part that was recorded.',
    'Most transfers between cores were bound by locks, atomics or system calls: their order is as recorded.',
  ]);
});
