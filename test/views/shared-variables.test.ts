// Stage: test. Shared variables of the hand-made run: rows by line and variable, as JSON, text and CSV.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderSection } from '../../src/report/view-text.js';
import { buildSharedVariables, sharedVariables } from '../../src/views/shared-variables.js';
import { filterRows } from '../../src/views/row-filter.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);
const view = buildSharedVariables(profile);

test('a row for each line and variable; accesses of slots on one line are added', () => {
  const file = 'main.c';
  expect(view.rows).toEqual([
    { file, line: 12, variable: 'pair.sx', type: 'struct args', threadcount: 1, totalcount: 100, threads: { 0: 100 } },
    { file, line: 14, variable: 'pair.sy', type: 'struct args', threadcount: 1, totalcount: 90, threads: { 1: 90 } },
    {
      file,
      line: 30,
      variable: 'struct node.next',
      type: 'struct node',
      threadcount: 2,
      totalcount: 82,
      threads: { 0: 42, 1: 40 },
    },
    { file, line: 16, variable: 'counter', type: 'int', threadcount: 1, totalcount: 20, threads: { 1: 20 } },
    { file, line: 31, variable: 'struct node', type: 'struct node', threadcount: 1, totalcount: 5, threads: { 0: 5 } },
  ]);
  expect(view.addresses).toEqual({ shared: 9, kept: 5, isFull: true, uncounted: 33, mostCounts: 1000 });
  expect(buildProfile(handMadeResult('reversed'), catalog, facts)).toEqual(profile);
});

test('--type keeps rows of that type', () => {
  expect(filterRows(view, { type: 'struct node' }).rows.map((row) => (row as { line: number }).line)).toEqual([30, 31]);
});

test('as text', () => {
  const { body, notes } = renderSection(sharedVariables.table(view, 3), 100);
  expect(body.split('\n')).toEqual([
    'accesses  of all  threads  line       variable          by thread',
    '────────  ──────  ───────  ─────────  ────────────────  ────────────',
    '     100   33.7%        1  main.c:12  pair.sx           0: 100',
    '      90   30.3%        1  main.c:14  pair.sy           1: 90',
    '      82   27.6%        2  main.c:30  struct node.next  0: 42  1: 40',
    '     297                   all lines',
  ]);
  expect(notes[0]).toBe(
    '3 of 5 lines and variables; 5 of 9 addresses that several threads referred to, each by its busiest thread ' +
      'less than twice as often as by the next.',
  );
  expect(notes[1]).toBe(
    'INCOMPLETE: there was room for 1,000 counts (of an address, an access in the text and a thread) at a ' +
      'time; left out: 33 accesses behind.',
  );
});

test('as CSV: threads in one column, busiest first', () => {
  expect([...renderCsv(csvRows(view))].join('').split('\n').slice(0, 4)).toEqual([
    'file,line,variable,type,threadcount,totalcount,threads',
    'main.c,12,pair.sx,struct args,1,100,0:100',
    'main.c,14,pair.sy,struct args,1,90,1:90',
    'main.c,30,struct node.next,struct node,2,82,0:42 1:40',
  ]);
});
