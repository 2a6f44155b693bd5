// Stage: test. The sentence to take away, by hand: which type, which class, which page is next, and what makes it less
// than it seems.

import { expect, test } from 'vitest';
import type { Costliest } from '../../src/views/level-cycles.js';
import { takeAway, type Words } from '../../page/takeaway.js';

const PAGES = ['overview', 'working-set', 'sharing', 'struct-layout', 'sets', 'miss-classes', 'data-profile'];
const none = { compulsory: 0, 'true-sharing': 0, 'false-sharing': 0, conflict: 0, capacity: 0 };

interface Case {
  readonly references: number;
  /** By type: its misses by class. */
  readonly types: Readonly<Record<string, Partial<typeof none>>>;
  readonly facts?: object;
  readonly sharing?: readonly object[];
}

/** Each miss costs as much. */
function mostOf(classes: typeof none): Costliest {
  const [[name, count]] = Object.entries(classes).sort(([, a], [, b]) => b - a);
  const all = Object.values(classes).reduce((sum, one) => sum + one, 0);
  return count === 0
    ? { level: null, class: null, cycles: 0, share: 0 }
    : { level: 'l1', class: name as keyof typeof none, cycles: count * 20, share: count / all };
}

function tell({ references, types, facts = {}, sharing = [] }: Case): ReturnType<typeof takeAway> {
  const rows = Object.entries(types).map(([type, own]) => {
    const classes = { ...none, ...own };
    const misses = Object.values(classes).reduce((sum, count) => sum + count, 0);
    return {
      type,
      field: null,
      missLatencyCycles: 20 * misses,
      costliest: mostOf(classes),
      levels: { l1: { misses, classes } },
    };
  });
  const sum = (name: keyof typeof none): number =>
    rows.reduce((total, { levels }) => total + levels.l1.classes[name], 0);
  const classes = Object.fromEntries(Object.keys(none).map((name) => [name, sum(name as keyof typeof none)]));
  const misses = rows.reduce((total, { levels }) => total + levels.l1.misses, 0);
  const view = {
    totals: {
      references,
      missLatencyCycles: 20 * misses,
      costliest: mostOf(classes as typeof none),
      levels: { l1: { misses, classes } },
    },
    typing: { l1Misses: { of: misses, groups: { named: misses, heapBySite: 0, scalar: 0, untyped: 0 } } },
    truncated: false,
    windows: { closed: 0 },
    orderBound: { transfers: 0, orderBoundTransfers: 0 },
    rows,
    ...facts,
  };
  return takeAway(view as never, view as never, { rows: sharing } as never, PAGES);
}

function spell(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : `[${word.name}]`)).join('');
}

test('one type, one class, the page that says more', () => {
  const { sentence, next } = tell({
    references: 1000,
    types: { 'struct pair': { 'false-sharing': 60, compulsory: 2 }, int: { compulsory: 38 } },
  });
  expect(spell(sentence)).toBe(
    '[struct pair] costs 62.0% of 2,000 estimated cycles, most of it by L1 false sharing misses (96.8%): 60 of its ' +
      '62 L1 misses.',
  );
  expect(next).toEqual({
    page: 'struct-layout',
    type: 'struct pair',
    label: 'Struct layout: which fields lie on one line',
  });
});

test('each class has its page', () => {
  const pageOf = (name: keyof typeof none): string | undefined =>
    tell({ references: 1000, types: { a: { [name]: 100 } } }).next?.page;
  expect(Object.keys(none).map((name) => pageOf(name as keyof typeof none))).toEqual([
    'working-set',
    'sharing',
    'struct-layout',
    'sets',
    'working-set',
  ]);
});

test('a class below half is the largest part', () => {
  expect(spell(tell({ references: 1000, types: { a: { conflict: 40, capacity: 35, compulsory: 25 } } }).sentence)).toBe(
    '[a] costs 100.0% of 2,000 estimated cycles, the largest part of it by L1 conflict misses (40.0%): 40 of its 100 ' +
      'L1 misses.',
  );
});

test('no type stands out', () => {
  const types = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`t${index}`, { capacity: 4 }]));
  const { sentence, next } = tell({ references: 1000, types });
  expect(spell(sentence)).toBe(
    'No type stands out: the first of 25, [t0], costs 4.0% of 2,000 estimated cycles; over all types most of ' +
      'it is by L1 capacity misses (100.0%).',
  );
  expect(next?.page).toBe('data-profile');
});

test('who and whom, where the class is sharing', () => {
  const pair = {
    class: 'true-sharing',
    misses: 70,
    missed: { type: 'a', function: 'read', site: 'dir/a.c:7' },
    writer: { type: 'a', function: null, site: null },
  };
  expect(
    tell({ references: 1000, types: { a: { 'true-sharing': 100 } }, sharing: [pair] }).further.map(spell),
  ).toContain('Most often [read] ([a.c:7]) misses after a store by [an unknown function]: 70 misses.');
});

test('nothing recorded, nothing missed', () => {
  expect(spell(tell({ references: 0, types: {} }).sentence)).toBe(
    'Nothing was recorded: the program made no reference that dprof saw.',
  );
  expect(spell(tell({ references: 1000, types: { a: {} } }).sentence)).toBe('None of 1,000 references missed the L1.');
});

test('what makes it less than it seems', () => {
  const facts = {
    truncated: true,
    windows: { closed: 1 },
    orderBound: { transfers: 10, orderBoundTransfers: 9 },
    typing: { l1Misses: { of: 100, groups: { named: 20, heapBySite: 10, scalar: 60, untyped: 10 } } },
  };
  expect(
    tell({ references: 1_000_000, types: { a: { 'true-sharing': 100 } }, facts })
      .further.map(spell)
      .slice(1),
  ).toEqual([
    'But misses are rare: <0.1% of 1,000,000 references missed the L1.',
    'The trace was cut: all numbers are of the part that was recorded.',
    'All numbers are of a part of the run only.',
    "70.0% of the L1 misses are of data without a type's name.",
    '90.0% of the transfers between cores were bound by locks, atomics or system calls: their order is as recorded.',
  ]);
});

test('the sentence goes by what it costs, and names the level: not by L1 misses', () => {
  const classes = (own: Partial<typeof none>): object => ({ misses: 0, classes: { ...none, ...own } });
  const row = (type: string, field: string | null, cycles: number, costliest: Costliest, l2: object): object => ({
    type,
    field,
    missLatencyCycles: cycles,
    costliest,
    levels: { l1: { misses: 500, classes: { ...none, capacity: 500 } }, l2 },
  });
  const conflict: Costliest = { level: 'l2', class: 'conflict', cycles: 7600, share: 0.95 };
  const view = {
    totals: {
      references: 1000,
      missLatencyCycles: 20_000,
      costliest: conflict,
      levels: { l1: { misses: 1000, classes: { ...none, capacity: 1000 } } },
    },
    typing: { l1Misses: { of: 1000, groups: { named: 1000, heapBySite: 0, scalar: 0, untyped: 0 } } },
    truncated: false,
    windows: { closed: 0 },
    orderBound: { transfers: 0, orderBoundTransfers: 0 },
    rows: [
      row('grid', null, 8000, conflict, { ...classes({ conflict: 190, capacity: 10 }), misses: 200 }),
      row('grid', 'cells', 6000, conflict, classes({})),
    ],
  };
  const { sentence, further, next } = takeAway(view as never, view as never, { rows: [] } as never, PAGES);
  expect(spell(sentence)).toBe(
    '[grid] costs 40.0% of 20,000 estimated cycles, most of it by L2 conflict misses (95.0%): 190 of ' +
      'its 200 L2 misses.',
  );
  expect(further.map(spell)).toContain("Its field that costs most is [cells]: 75.0% of the type's estimated cycles.");
  expect(next).toMatchObject({ page: 'sets', type: 'grid' });
});
