// Stage: test. Every page of a report in Chromium: it shows the numbers of the views, sorts and searches, and can be used with a keyboard alone.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dprof, DPROF_CC, makeFolder } from '../cli/command-line.js';
import { goTo, openReport, photograph, readTables, settled, startChromium, type OpenReport } from './browser.js';
import { expectNumbers } from './expected-cells.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = makeFolder();
const profile = join(folder, 'queue.dprofile');
const report = join(folder, 'report.html');
let browser: Browser;
let open: OpenReport;

beforeAll(async () => {
  const source = 'examples/producer-consumer/producer-consumer.c';
  execFileSync(DPROF_CC, ['-O2', '-g', '-pthread', source, '-o', join(folder, 'queue')], { cwd: ROOT });
  expect(dprof('record', '-o', join(folder, 'queue.dptrace'), '--', join(folder, 'queue')).status).toBe(0);
  expect(dprof('replay', join(folder, 'queue.dptrace'), '-o', profile).status).toBe(0);
  expect(dprof('html', profile, '-o', report, '--source', ROOT)).toEqual({ status: 0, stdout: '', stderr: '' });
  browser = await startChromium();
  open = await openReport(browser, report);
});

afterAll(() => browser?.close());

function view(name: string, ...words: string[]): any {
  return JSON.parse(dprof('report', profile, '--view', name, '--format', 'json', ...words).stdout);
}

interface Comparison {
  readonly page: string;
  readonly view: readonly string[];
  readonly rows: (rows: any[]) => any[];
}

const all = (rows: any[]): any[] => rows;
const TABLES: readonly Comparison[] = [
  { page: '#/data-profile', view: ['data-profile'], rows: all },
  { page: '#/miss-classes', view: ['miss-classification'], rows: (rows) => rows.filter(({ field }) => field === null) },
  { page: '#/miss-classes?level=l2&rows=fields', view: ['miss-classification'], rows: (rows) => rows.filter(({ field }) => field !== null) },
  { page: '#/miss-classes?level=llc&rows=both', view: ['miss-classification'], rows: all },
  { page: '#/sharing', view: ['sharing'], rows: all },
  { page: '#/invalidations', view: ['invalidations'], rows: (rows) => rows.filter(({ level }) => level === 'l1') },
  { page: '#/functions?level=l2', view: ['miss-classification', '--by', 'function'], rows: all },
];

test.each(TABLES)('the numbers of $page are those of --view $view', async ({ page, view: words, rows }) => {
  await goTo(open.page, page);
  const expected = view(words[0], ...words.slice(1));
  const [table] = await readTables(open.page);
  expect(expectNumbers(table, rows(expected.rows), expected)).toBeGreaterThanOrEqual(table.drawn.length);
});

test('the overview says what to take away, and its totals are the views\'', async () => {
  await goTo(open.page, '#/overview');
  const { totals } = view('data-profile');
  expect(await open.page.locator('.takeaway .sentence').textContent()).toMatch(/^struct \w+ takes .* L1 misses, (most|the largest part) of them by (true|false) sharing/);
  for (const tile of await open.page.locator('[data-path]').all()) {
    const value = (await tile.getAttribute('data-path'))!.split('.').slice(1).reduce((at: any, key) => at[key], totals);
    expect(await tile.textContent()).toBe(value.toLocaleString('en-US'));
  }
});

test('the typing ledger is the views\'', async () => {
  await goTo(open.page, '#/about');
  const { typing } = view('data-profile');
  const cells = await open.page.locator('td[data-path]').all();
  expect(cells).toHaveLength(22);
  for (const cell of cells) {
    const value = (await cell.getAttribute('data-path'))!.split('.').slice(1).reduce((at: any, key) => at[key], typing);
    expect(await cell.textContent()).toBe(value.toLocaleString('en-US'));
  }
});

test('the source shows each line with its numbers', async () => {
  await goTo(open.page, '#/source');
  await open.page.locator('main a', { hasText: 'producer-consumer.c' }).click();
  await settled(open.page);
  const byLine = new Map<number, number>();
  for (const { line, levels } of view('miss-classification', '--by', 'line').rows) {
    if (line?.includes('producer-consumer.c:')) byLine.set(Number(line.split(':').pop()), (byLine.get(Number(line.split(':').pop())) ?? 0) + levels.l1.misses);
  }
  const [table] = await readTables(open.page);
  const shown = new Map<number, number>();
  for (const { cells } of table.drawn) if (cells[1] !== '') shown.set(Number(cells[0]), (shown.get(Number(cells[0])) ?? 0) + Number(cells[1].replaceAll(',', '')));
  expect([...shown]).toEqual([...shown.keys()].map((line) => [line, byLine.get(line)]));
  expect(shown.size).toBeGreaterThan(5);
  expect(table.drawn.some(({ cells }) => cells[3].includes('->'))).toBe(true);
});

test('a heading sorts, by mouse and by keyboard, and says so', async () => {
  await goTo(open.page, '#/data-profile');
  const column = 'references.loads+references.stores';
  const button = open.page.locator(`th[data-column="${column}"] button`);
  const references = async (): Promise<number[]> => {
    const [table] = await readTables(open.page);
    return table.drawn.map(({ cells }) => Number(cells[table.columns.findIndex(({ id }) => id === column)].replaceAll(',', '')));
  };
  const sorting = async (): Promise<string | null | undefined> => (await readTables(open.page))[0].columns.find(({ id }) => id === column)?.sort;
  await button.click();
  expect(await references()).toEqual((await references()).toSorted((a, b) => b - a));
  expect(await sorting()).toBe('descending');
  await button.focus();
  await open.page.keyboard.press('Enter');
  expect(await references()).toEqual((await references()).toSorted((a, b) => a - b));
  expect(await sorting()).toBe('ascending');
});

test('a search keeps the rows that have the words', async () => {
  await goTo(open.page, '#/data-profile');
  await open.page.getByLabel('search types').fill('STRUCT');
  await open.page.locator('.count', { hasText: ' of ' }).waitFor();
  const [table] = await readTables(open.page);
  expect(table.drawn.map(({ cells }) => cells[0])).toEqual(view('data-profile').rows.map(({ type }: { type: string }) => type).filter((type: string) => type.includes('struct')));
});

test('every page is reached by keyboard alone, each with its one heading', async () => {
  await goTo(open.page, '#/overview');
  await open.page.reload();
  await settled(open.page);
  const links = await open.page.locator('nav a').count();
  await open.page.keyboard.press('Tab');
  expect(await open.page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
  for (let link = 0; link < links; link++) {
    const target = open.page.locator('nav a').nth(link);
    await open.page.locator('.theme').focus();
    for (let step = 0; step <= link; step++) await open.page.keyboard.press('Tab');
    const name = await target.textContent();
    expect(await open.page.evaluate('document.activeElement.textContent')).toBe(name);
    await open.page.keyboard.press('Enter');
    await open.page.locator('h1', { hasText: name! }).waitFor();
    await settled(open.page);
    expect(await open.page.locator('h1').count()).toBe(1);
    expect(await target.getAttribute('aria-current')).toBe('page');
    expect(await open.page.title()).toContain(name);
    for (const chart of await open.page.locator('figure svg').all()) expect(await chart.getAttribute('aria-label')).toMatch(/\.$/);
    await photograph(open.page, `light-${(await target.getAttribute('href'))!.slice(2)}`);
  }
});

test('dark where the system is dark, until the switch says otherwise', async () => {
  const { page, incidents } = await openReport(browser, report, 'dark');
  const ground = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const dark = await ground();
  for (const link of await page.locator('nav a').all()) {
    await link.click();
    await settled(page);
    await photograph(page, `dark-${(await link.getAttribute('href'))!.slice(2)}`);
  }
  await page.getByLabel('Change to light colours').click();
  expect([dark, await ground()]).toEqual(['rgb(20, 23, 28)', 'rgb(255, 255, 255)']);
  expect(incidents).toEqual([]);
  await page.close();
});

test('it prints: tables whole on paper, whatever is in sight', async () => {
  await goTo(open.page, '#/data-profile');
  const paper = await open.page.pdf({ path: join(folder, 'report.pdf'), preferCSSPageSize: true });
  expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await readTables(open.page))[0].rows).toBe(view('data-profile').rows.length);
});

test('a narrow window shows the same without scrolling sideways', async () => {
  await open.page.setViewportSize({ width: 420, height: 800 });
  await goTo(open.page, '#/miss-classes');
  expect(await open.page.evaluate('document.documentElement.scrollWidth')).toBe(420);
  await photograph(open.page, 'narrow-miss-classes');
  await open.page.setViewportSize({ width: 1360, height: 900 });
});

test('nothing was asked of a network, and the console stayed silent', () => {
  expect(open.incidents).toEqual([]);
  expect(statSync(report).size).toBeLessThan(5_000_000);
});
