// Stage: test. What --type, --field, --function and --min-share leave of each view.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { spellVisibly } from '../../src/report/visible-text.js';
import { isRowAsked, isTypeAsked } from '../../src/base/type-name.js';
import { requireNames } from '../../src/views/row-filter.js';
import { type RowFilter, type ViewOptions, FILTERS } from '../../src/views/view.js';
import { buildView, filtersOf, viewsOf, type ViewName } from '../../src/views/views.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';

const alone = buildProfile(handMadeResult(), catalog, facts);
// With the flow of a run of the same names, so that there is something in every view.
const profile = { ...alone, flow: handMadeFlowProfile().flow, schedules: joinSchedules([countSchedule(alone)]) };
const rows = (name: ViewName, options: ViewOptions): any[] => [...buildView(profile, name, options).rows];
const named = (name: ViewName, options: ViewOptions): unknown[] =>
  rows(name, options).map((row) => [
    row.type ?? row.function ?? row.line ?? row.core,
    ...('field' in row ? [row.field] : []),
  ]);

test('--field leaves the field, under its type', () => {
  expect(named('miss-classification', { field: 'sx' })).toEqual([
    ['struct args', null],
    ['struct args', 'sx'],
  ]);
  expect(named('miss-classification', { field: 'sx', by: 'field' })).toEqual([['struct args', 'sx']]);
  expect(named('unused-bytes', { field: 'sy' })).toEqual([
    ['struct args', null],
    ['struct args', 'sy'],
  ]);
  expect(named('schedules', { field: 'sx' })).toEqual([
    ['struct args', null],
    ['struct args', 'sx'],
  ]);
  expect(
    rows('sharing', { field: 'sx' }).map(({ misses, missed, writer }) => [misses, missed.field, writer.field]),
  ).toEqual([[60, 'sx', 'sy']]);
});

test('--type takes what a row by site is called, and its size alone', () => {
  for (const type of ['heap-48', 'heap-48@make', 'heap-48 (main.c:9)'])
    expect(named('data-profile', { type })).toEqual([['heap-48@make']]);
  expect(named('data-profile', { type: 'heap-48 (main.c:8)' })).toEqual([]);
  expect(() => requireNames(profile, { type: 'heap-48 (main.c:9)' })).not.toThrow();
  expect(() => requireNames(profile, { type: 'heap-48 (main.c:8)' })).toThrow('no type in this profile is named');
});

test('--type takes a name that was voted for, and a row of a file without a line, as the table prints them', () => {
  expect(named('data-profile', { type: '~ struct args' })).toEqual(named('data-profile', { type: 'struct args' }));
  expect(() => requireNames(profile, { type: '~ struct args' })).not.toThrow();
  expect(() => requireNames(profile, { type: '~ struct arg' })).toThrow('no type in this profile is named');
  expect([isRowAsked('heap-48 (main.c)'), isTypeAsked('heap-48@make', 'heap-48 (main.c)')]).toEqual([true, true]);
  expect(isRowAsked('struct pair[] (16 bytes)')).toBe(false);
});

test('where rows name no field or type, they count only what was asked for', () => {
  expect(rows('miss-classification', { field: 'sy', by: 'function' })).toMatchObject([
    { function: 'worker', references: { loads: 0, stores: 100 }, levels: { l1: { misses: 30 } } },
  ]);
  expect(rows('miss-classification', { field: 'sy', by: 'core' })).toMatchObject([
    { core: 1, levels: { l1: { misses: 30 } } },
  ]);
  expect(rows('functions', { field: 'sx' })).toMatchObject([
    { function: 'worker', levels: { l1: { misses: 60 } }, types: 1 },
  ]);
});

test('--function: of types what they met in it', () => {
  expect(rows('miss-classification', { function: 'main' })).toMatchObject([
    { type: 'long[]', levels: { l1: { misses: 1 } } },
    { type: 'long[]', field: 'totals' },
  ]);
  expect(named('miss-classification', { function: 'main', by: 'field' })).toEqual([['long[]', 'totals']]);
  expect(named('miss-classification', { function: 'main', by: 'line' })).toEqual([['main']]);
  expect(named('functions', { function: 'main' })).toEqual([['main']]);
  expect(rows('address-set', { function: 'make' }).map(({ bytes }) => bytes)).toEqual([48, 48]);
});

test(
  '--min-share: of L1 misses, of estimated cycles, of what the view counts; at least, so that equal is ' + 'enough',
  () => {
    // 90 of 112 misses, 12 of 112, then 4.
    expect(named('data-profile', { minShare: 10 })).toEqual([['struct args'], ['struct node']]);
    expect(named('data-profile', { minShare: (100 * 90) / 112 })).toEqual([['struct args']]);
    expect(named('functions', { minShare: 15, sort: 'cycles' })).toEqual([['worker'], ['scan, "fast"']]);
    expect(rows('sharing', { minShare: 30 }).map(({ misses }) => misses)).toEqual([60, 30]);
    expect(rows('evictions', { minShare: 50 }).map(({ level, count }) => [level, count])).toEqual([
      ['l1', 34],
      ['l2', 5],
    ]);
    expect(named('unused-bytes', { minShare: 10 })).toEqual([
      ['(no object)', null],
      ['struct args', null],
      ['struct args', 'sy'],
    ]);
    expect(rows('data-profile', { minShare: 0 })).toEqual(rows('data-profile', {}));
  },
);

test('totals and ledger stay those of the run, and the filter is said', () => {
  const whole = buildView(profile, 'miss-classification', {});
  const asked: RowFilter = { type: 'struct args', field: 'sx', function: 'worker', minShare: 1.5 };
  const { totals, typing, filter } = buildView(profile, 'miss-classification', asked);
  expect([totals, typing, filter]).toEqual([whole.totals, whole.typing, asked]);
  expect(whole).not.toHaveProperty('filter');
});

test.each(viewsOf(profile))('%s: what its rows can be chosen by leaves rows of it and no others', (name) => {
  const whole = rows(name, {});
  for (const filter of FILTERS.filter((one) => filtersOf(name).includes(one))) {
    const some = rows(
      name,
      {
        type: { type: 'int' },
        field: { field: 'sx' },
        function: { function: 'main' },
        minShare: { minShare: 20 },
      }[filter],
    );
    expect(some.length).toBeLessThanOrEqual(whole.length);
    expect(some, `--${filter}`).not.toEqual(whole);
  }
});

test('text says what was left out, and sums over rows are not shown as those of all', () => {
  const view = buildView(profile, 'data-profile', { type: 'struct node', minShare: 5 });
  const lines = renderText(new Map([['data-profile', view]]), {
    top: 20,
    style: chooseStyle({ columns: 132 }, {}),
  }).split('\n');
  expect(lines[4]).toBe(
    'filtered     only rows of type struct node, with at least 5% of all; totals are those of the whole run',
  );
  expect(lines.slice(9, 11)).toEqual([
    'struct node    50.1%        2,400   10.7%  LLC capacity 70%   main.c:30         12         12          12' +
      '          91  da',
    'all types                  22,400  100.0%  LLC false sh. 41%                   112        112         112' +
      '         468',
  ]);
});

test('names that are nowhere: the closest ones as a hint', () => {
  expect(() => requireNames(profile, { field: 'sz' })).toThrow(
    expect.objectContaining({
      message: "no field in this profile is named 'sz'",
      hint: "did you mean 'sx', 'sy', 'next'?",
    }),
  );
  expect(() => requireNames(profile, { function: 'work' })).toThrow(
    expect.objectContaining({
      message: "no function in this profile is named 'work'",
      hint: "did you mean 'worker', 'main', 'make'?",
    }),
  );
  expect(() => requireNames(profile, { type: '(no object)', field: 'sx', function: 'main' })).not.toThrow();
});

test('what a terminal would obey or reorder is spelled out', () => {
  expect(spellVisibly('a\x1b[2Jb\n"\\<script>\u202ec\0\ud800d😀\t')).toBe(
    'a\\x1b[2Jb\\n"\\<script>\\u{202e}c\\x00\\u{d800}d😀\\t',
  );
});
