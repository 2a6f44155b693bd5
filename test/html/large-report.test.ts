// Stage: test. 5,000 types and 100,000 paths: tables are whole to those who ask, and only what is in sight is elements.

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../cli/command-line.js';
import { goTo, openReport, photograph, readTables, settled, startChromium, type OpenReport } from './browser.js';
import { expectNumbers } from './expected-cells.js';
import { enlarge, nameOfType } from './large-views.js';
import { smallViews, writeReport, type Views } from './small-views.js';

const TYPES = 5000;
const PATHS_PER_TYPE = 20;
const folder = makeFolder();
let large: Views;
let browser: Browser;
let open: OpenReport;

beforeAll(async () => {
  large = enlarge(smallViews(folder), { types: TYPES, pathsPerType: PATHS_PER_TYPE });
  browser = await startChromium();
  open = await openReport(browser, writeReport(join(folder, 'large.html'), large));
});

afterAll(() => browser?.close());

test('a table of 5,000 types has few elements, and the last type at its end', async () => {
  await goTo(open.page, '#/data-profile');
  const [top] = await readTables(open.page);
  expect([top.rows, top.drawn.length < 100]).toEqual([TYPES, true]);
  await open.page.evaluate("document.querySelector('.scroller').scrollTo(0, 1e9)");
  await open.page.locator(`tr[aria-rowindex="${TYPES + 1}"]`).waitFor();
  const [bottom] = await readTables(open.page);
  expect(bottom.drawn.at(-1)?.cells[0]).toBe(nameOfType(TYPES - 1));
  const view = large.get('data-profile')!;
  expect(expectNumbers(bottom, view.rows, view)).toBeGreaterThan(100);
});

test('a search finds one of 5,000 types', async () => {
  await goTo(open.page, '#/miss-classes?rows=types');
  await open.page.getByLabel('search types').fill('type_4321');
  await open.page.locator('.count', { hasText: '1 of 5,000 types' }).waitFor();
  expect((await readTables(open.page))[0].drawn.map(({ cells }) => cells[0])).toEqual([nameOfType(4321)]);
});

test('a type is chosen by its name, and its paths are there', async () => {
  await goTo(open.page, '#/path-traces');
  const field = open.page.getByLabel('type', { exact: true });
  await field.fill(nameOfType(4999));
  await field.press('Enter');
  await open.page.locator('.type-choice .count', { hasText: '5,000 of 5,000' }).waitFor();
  await settled(open.page);
  const [paths, steps] = await readTables(open.page);
  const view = large.get('path-traces')!;
  const own = view.rows.filter(({ type }) => type === nameOfType(4999));
  expect([paths.rows, steps.rows]).toEqual([PATHS_PER_TYPE, 6]);
  expectNumbers(paths, own, view);
  expectNumbers(steps, own[0].steps, view);
  await photograph(open.page, 'large-path-traces');
});

test('nothing else happened', () => expect(open.incidents).toEqual([]));
