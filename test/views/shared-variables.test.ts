// Stage: test. Shared variables of the hand-made run: rows by line and variable, as JSON, text and CSV.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderSection } from '../../src/report/view-text.js';
import { SlotKind } from '../../src/trace/layout.js';
import { buildSharedVariables, sharedVariables } from '../../src/views/shared-variables.js';
import { filterRows } from '../../src/views/row-filter.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

/** The slots of main.c:14, and one of two on main.c:30, store. */
const kind = catalog.slots.kind.map((_, slot) => (slot === 1 || slot === 9 ? SlotKind.store : SlotKind.load));
const withStores = { ...catalog, slots: { ...catalog.slots, kind } };
const profile = buildProfile(handMadeResult(), withStores, facts);
const view = buildSharedVariables(profile);

test('a row for each line and variable, those only read last; accesses of slots on one line are added', () => {
  const row = (line: number, variable: string, type: string, loads: number, stores: number): object => ({
    file: 'main.c',
    ...{ line, variable, type, totalcount: loads + stores, loads, stores },
  });
  const nodes = { threadcount: 2, threads: { 0: 42, 1: 40 }, isOnlyRead: false };
  expect(view.rows).toEqual([
    { ...row(14, 'pair.sy', 'struct args', 0, 90), threadcount: 1, threads: { 1: 90 }, isOnlyRead: false },
    { ...row(30, 'struct node.next', 'struct node', 70, 12), ...nodes },
    { ...row(12, 'pair.sx', 'struct args', 100, 0), threadcount: 1, threads: { 0: 100 }, isOnlyRead: true },
    { ...row(16, 'counter', 'int', 20, 0), threadcount: 1, threads: { 1: 20 }, isOnlyRead: true },
    { ...row(31, 'struct node', 'struct node', 5, 0), threadcount: 1, threads: { 0: 5 }, isOnlyRead: true },
  ]);
  expect(view.addresses).toEqual({ shared: 9, kept: 5, isFull: true, uncounted: 33, mostCounts: 1000 });
  expect(buildProfile(handMadeResult('reversed'), withStores, facts)).toEqual(profile);
});

test('--type keeps rows of that type', () => {
  expect(filterRows(view, { type: 'struct node' }).rows.map((row) => (row as { line: number }).line)).toEqual([30, 31]);
});

test('as text', () => {
  const { body, notes } = renderSection(sharedVariables.table(view, 3), 100);
  expect(body.split('\n')).toEqual([
    'accesses  of all  loads  stores  threads  line       variable          by thread',
    '────────  ──────  ─────  ──────  ───────  ─────────  ────────────────  ────────────',
    '      90   30.3%      0      90        1  main.c:14  pair.sy           1: 90',
    '      82   27.6%     70      12        2  main.c:30  struct node.next  0: 42  1: 40',
    '     100   33.7%    100       0        1  main.c:12  pair.sx           0: 100',
    '     297                                  all lines',
  ]);
  expect(notes[0]).toBe(
    '3 of 5 lines and variables; 5 of 9 addresses that several threads referred to, each by its busiest thread ' +
      'less than twice as often as by the next.',
  );
  expect(notes[1]).toBe('3 rows of variables that are only read stand last: reading takes no line from another core.');
  expect(notes[2]).toBe(
    'INCOMPLETE: there was room for 1,000 counts (of an address, an access in the text and a thread) at a ' +
      'time; left out: 33 accesses behind.',
  );
});

test('as CSV: threads in one column, busiest first', () => {
  expect([...renderCsv(csvRows(view))].join('').split('\n').slice(0, 4)).toEqual([
    'file,line,variable,type,threadcount,totalcount,threads,loads,stores,isOnlyRead',
    'main.c,14,pair.sy,struct args,1,90,1:90,0,90,false',
    'main.c,30,struct node.next,struct node,2,82,0:42 1:40,70,12,false',
    'main.c,12,pair.sx,struct args,1,100,0:100,100,0,true',
  ]);
});
