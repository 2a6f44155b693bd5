// Stage: test. The pages of what threads share: locks and shared variables, from made-up rows of their views; without
// the views they are not there.

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { View } from '../../src/views/view.js';
import { makeFolder } from '../cli/command-line.js';
import { goTo, openReport, photograph, readTables, startChromium, type OpenReport, settled } from './browser.js';
import { expectNumbers } from './expected-cells.js';
import { smallViews, writeReport, type AnyRow } from './small-views.js';

const folder = makeFolder();
let browser: Browser;
let open: OpenReport;

const shared: AnyRow[] = [
  {
    file: 'src/stats.c',
    line: 41,
    variable: 'stats.requests',
    type: 'struct stats',
    threadcount: 3,
    totalcount: 3100,
    threads: { 0: 1000, 1: 1100, 2: 1000 },
    loads: 1550,
    stores: 1550,
    isOnlyRead: false,
  },
  {
    file: null,
    line: null,
    variable: 'total',
    type: 'long',
    threadcount: 2,
    totalcount: 20,
    threads: { 4: 10, 11: 10 },
    loads: 20,
    stores: 0,
    isOnlyRead: true,
  },
];

const held = { references: 500, l1Misses: 120, trueSharing: 100, falseSharing: 3 };
const locked: AnyRow[] = ['queue.lock', 'stats.lock'].map((lock, index) => ({
  lock,
  kind: 'mutex',
  type: 'struct queue',
  locks: 1,
  threadcount: 2,
  threads: { 0: 40, 1: 60 - index },
  acquisitions: 100 - index,
  waits: 12,
  waitInstructions: 34_567 - index,
  longestWaitInstructions: 900,
  holds: 99,
  holdInstructions: 12_345,
  longestHoldInstructions: 456,
  unreleased: 1,
  ...held,
  functions: [
    { function: 'push', path: ['push', 'produce', 'main'], acquisitions: 60 },
    { function: null, path: [], acquisitions: 40 - index },
  ],
  data: [{ type: 'struct queue', ...held }],
}));

const sums = {
  acquisitions: 199,
  waits: 24,
  waitInstructions: 69_133,
  longestWaitInstructions: 900,
  holds: 198,
  holdInstructions: 24_690,
  longestHoldInstructions: 456,
  unreleased: 2,
  references: 1000,
  l1Misses: 240,
  trueSharing: 200,
  falseSharing: 6,
};

beforeAll(async () => {
  const small = smallViews(folder);
  const envelope = small.get('sharing')!;
  const views = new Map([
    ...small,
    [
      'shared-variables',
      {
        ...envelope,
        addresses: { shared: 9, kept: 5, isFull: true, uncounted: 33, mostCounts: 1000 },
        rows: shared,
      } as View<AnyRow>,
    ],
    ['locks', { ...envelope, all: sums, rows: locked } as View<AnyRow>],
  ]);
  browser = await startChromium();
  open = await openReport(browser, writeReport(join(folder, 'threads.html'), views));
  const without = await openReport(browser, writeReport(join(folder, 'without.html'), small));
  expect(await without.page.locator('nav').innerText()).not.toMatch(/Locks|Shared variables/);
  await without.page.close();
});

afterAll(() => browser?.close());

test('shared variables', async () => {
  await goTo(open.page, '#/shared-variables');
  const [table] = await readTables(open.page);
  expectNumbers(table, shared, { totals: { accesses: 3120 } });
  expect(table.drawn.map(({ cells }) => cells)).toEqual([
    [
      'stats.requests',
      'struct stats',
      'stats.c:41',
      '3,100',
      '99.4%',
      '1,550',
      '1,550',
      '3',
      '1: 1,100, 0: 1,000, 2: 1,000',
    ],
    ['total', 'long', '-', '20', '0.6%', '20', '0', '2', '4: 10, 11: 10'],
  ]);
  expect(await open.page.locator('.note').textContent()).toBe(
    'There was room for 1,000 counts only: addresses that needed more are left out whole, with 33 accesses.',
  );
  await photograph(open.page, 'shared-variables');
});

test('locks, and one of them', async () => {
  await goTo(open.page, '#/locks');
  await open.page.getByText('stats.lock').first().click();
  await open.page.locator('h2', { hasText: 'Who acquires stats.lock' }).waitFor();
  await settled(open.page);
  const [all, functions, data] = await readTables(open.page);
  expectNumbers(all, locked, {});
  expectNumbers(functions, locked[1].functions, { totals: { acquisitions: 99 } });
  expectNumbers(data, locked[1].data, { totals: { misses: 120 } });
  expect(functions.drawn.map(({ cells }) => cells)).toEqual([
    ['push', '60', '60.6%', 'produce ← main'],
    ['(unknown)', '39', '39.4%', ''],
  ]);
  await photograph(open.page, 'locks');
  expect(open.incidents).toEqual([]);
});
