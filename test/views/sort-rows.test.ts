// Stage: test. `--sort COLUMN` and `--level`: rows by any column of their view, and the misses of any level.

import { expect, test } from 'vitest';
import { LEVELS } from '../../src/contract/machine.js';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { sortKey, type Column } from '../../src/views/columns.js';
import type { MissClassificationRow } from '../../src/views/miss-rows.js';
import { sortNameOf } from '../../src/views/sort-rows.js';
import { buildView, SORTABLE_VIEWS, VIEWS, type ViewName } from '../../src/views/views.js';
import type { ViewDefinition } from '../../src/views/view-definition.js';
import type { View, ViewOptions } from '../../src/views/view.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';

const alone = handMadeFlowProfile();
const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };

function rowsOf(name: ViewName, options: ViewOptions): readonly unknown[] {
  return buildView(profile, name, options).rows;
}

function columnsOf(name: ViewName): readonly Column<unknown>[] {
  const definition = VIEWS[name] as unknown as ViewDefinition<View<unknown>>;
  return definition.columns!(definition.build(profile)) as unknown as readonly Column<unknown>[];
}

const ofProfile = SORTABLE_VIEWS.filter((name) => !['locks', 'shared-variables'].includes(name));

test('all views but graphs and paths can be sorted', () => {
  expect(Object.keys(VIEWS).filter((name) => !SORTABLE_VIEWS.includes(name as ViewName))).toEqual([
    'path-traces',
    'data-flow',
  ]);
});

test.each(ofProfile)('%s: every column sorts its rows, and loses none', (name) => {
  const usual = rowsOf(name, {});
  const whole = (row: unknown): boolean => typeof (row as { readonly field?: unknown }).field !== 'string';
  for (const column of columnsOf(name).filter(({ heading }) => heading !== '')) {
    const sort = sortNameOf(column);
    const rows = rowsOf(name, { sort });
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(new Set(usual.map((row) => JSON.stringify(row))));
    // The first column of a name counts; that of text and page may be spelled otherwise.
    const own = columnsOf(name).find((one) => sortNameOf(one) === sort)!;
    const keys = rows
      .filter((row) =>
        name === 'miss-classification' || name === 'unused-bytes' || name === 'schedules' ? whole(row) : true,
      )
      .map((row) => own.sortKey?.(row) ?? sortKey(own.value(row)));
    const numbers = keys.filter((key) => typeof key === 'number');
    if (['evictions', 'invalidations'].includes(name)) continue;
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    expect(keys.findLastIndex((key) => key !== null)).toBeLessThan(
      keys.length - keys.filter((key) => key === null).length,
    );
  }
});

test('fields stand under their type, sorted too; pairs of evictions stay with their level', () => {
  const rows = rowsOf('miss-classification', { sort: 'capacity' }) as readonly MissClassificationRow[];
  expect(rows.slice(0, 3).map(({ type, field }) => [type, field])).toEqual([
    ['struct node', null],
    ['struct node', 'next'],
    ['struct args', null],
  ]);
  const levels = (
    rowsOf('evictions', { sort: 'taken-by' }) as readonly { readonly level: string; readonly taker: string }[]
  ).map(({ level, taker }) => [level, taker]);
  expect(levels).toEqual([
    ['l1', 'heap-32@make'],
    ['l1', 'struct args'],
    ['l2', 'struct args'],
  ]);
});

test('the words of older versions are columns too', () => {
  expect(buildView(profile, 'data-profile', { sort: 'misses' }).sort).toBe('l1-misses');
  expect(buildView(profile, 'functions', { sort: 'cycles' }).sort).toBe('est-cycles');
});

test('a column that is not there is refused, with those that are', () => {
  expect(() => buildView(profile, 'sharing', { sort: 'l2-misses' })).toThrow(
    expect.objectContaining({
      message: "--sort: sharing has no column 'l2-misses'",
      hint: expect.stringMatching(
        /^did you mean l1-misses\? its columns: class, l1-misses, missed-type, missed-field, missed-at, stored-type, /,
      ),
      exitCode: 2,
    }),
  );
});

test.each(LEVELS)('--level %s: the title names it, its classes are shown, and the costliest is one of it', (level) => {
  const view = buildView(profile, 'miss-classification', { level });
  const text = renderText(new Map([['miss-classification', view]]), {
    top: 20,
    style: chooseStyle({ columns: 132 }, {}),
  });
  const name = { l1: 'L1', l2: 'L2', llc: 'LLC' }[level];
  expect(text).toContain(`miss classification: why each ${name} miss happened, by estimated cycles`);
  expect(text).toMatch(new RegExp(`^type and field +est. cycles +of all +${name} misses +compulsory`, 'm'));
  for (const { costliest, levels } of view.rows as readonly MissClassificationRow[])
    expect(costliest.level).toBe(levels[level].misses === 0 ? null : level);
  const [worst] = rowsOf('data-profile', { level }) as readonly MissClassificationRow[];
  expect(worst.costliest).toMatchObject({ level, class: 'false-sharing' });
});

test('--level of evictions: pairs of that level alone', () => {
  expect(rowsOf('evictions', { level: 'l2' })).toMatchObject([{ level: 'l2', taker: 'struct args', count: 5 }]);
});
