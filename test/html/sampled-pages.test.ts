// Stage: test. Pages of samples and histories in Chromium: estimates read as in the text, what was counted has no ~,
// and times have a unit.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderHtml } from '../../src/html/html-report.js';
import { makeFolder } from '../cli/command-line.js';
import { drawnHistories, drawnSamples, profileOf } from '../hardware/sampled/sampled-fixture.js';
import { goTo, openReport, photograph, readTables, startChromium, touchingTexts, type OpenReport } from './browser.js';

let browser: Browser;
let open: OpenReport;

beforeAll(async () => {
  const file = join(makeFolder(), 'sampled.html');
  const profile = profileOf([drawnSamples()], { histories: drawnHistories() });
  writeFileSync(file, await renderHtml(profile, { readSources: () => new Map(), mostPaths: 100 }, () => {}));
  browser = await startChromium();
  open = await openReport(browser, file);
});

afterAll(() => browser?.close());

/** The table's headings, then its rows. */
async function cellsOf(hash: string, table: number): Promise<(readonly string[])[]> {
  await goTo(open.page, hash);
  const headings = await open.page.evaluate<string[]>(
    `[...document.querySelectorAll('.scroller table')[${table}].tHead.rows[0].cells].map((cell) => cell.textContent)`,
  );
  return [headings, ...(await readTables(open.page))[table].drawn.map(({ cells }) => cells)];
}

test('the working set: objects were counted, lines simulated', async () => {
  const [headings, drawn] = await cellsOf('#/working-set', 0);
  expect(headings.slice(5, 10)).toEqual(['lifetime', 'lines in L1', 'lines in L2', 'lines in LLC', 'bytes in L1']);
  expect(drawn.slice(0, 9)).toEqual(['struct drawn', '40 B', '48 B', '2.5', '3', '2.00 us', '~0.00', '~0.00', '~0.00']);
  expect(await cellsOf('#/working-set', 1)).toEqual([
    ['functions', 'lives', 'ended'],
    ['init → lock → read → lock', '~200', 'freed'],
    ['init → read', '~100', 'freed'],
  ]);
});

test("a path's steps: times, who served with bounds, samples that say so", async () => {
  expect(await cellsOf('#/path-traces', 0)).toEqual([
    ['path', 'objects', 'steps', 'ended', 'cut'],
    ['(unknown) → init ⇒ lock → read ⇒ lock', '~200 -69+41%', '4', 'freed', ''],
    ['(unknown) → init → read', '~100 -82+138%', '2', 'freed', ''],
  ]);
  const steps = await cellsOf('#/path-traces', 1);
  expect(steps[0].slice(4)).toEqual([
    'references',
    'by L1',
    'by L2',
    'by LLC',
    'by other cache',
    'by memory',
    'access time',
    'samples',
    'at',
  ]);
  expect(steps.slice(1).map((cells) => [...cells.slice(0, 6), ...cells.slice(8, 12)])).toEqual([
    ['10 ns', 'init', '', '0-16', '~400', '~100.0% -4.6+0.0', '<4.6%', '<4.6%', '-', '80'],
    ['30 ns', 'lock', 'yes', '0-8', '~400', '~70.0% ±8.0', '~30.0% ±8.0', '<2.7%', '~122 ±19', '140'],
    ['40 ns', 'read', '', '8-16', '~200', '<11.4%', '~100.0% -11.4+0.0', '<11.4%', '~200 ±0', '30'],
    ['50 ns', 'lock', 'yes', '0-8', '~200', '~70.0% ±8.0', '~30.0% ±8.0', '<2.7%', '~122 ±19', '140'],
  ]);
  await photograph(open.page, 'sampled-path-traces');
});

test('the data flow: objects at a node are estimates', async () => {
  expect(await cellsOf('#/data-flow', 0)).toEqual([
    ['what', 'function', 'objects', 'references', 'cycles', 'at'],
    ['allocation', '-', '~300 -56+0%', '~0', '-', '-'],
    ['step', 'init', '~300 -56+0%', '~0', '-', '-'],
    ['step', 'lock', '~200 -69+41%', '~400', '~122', '-'],
    ['step', 'read', '~200 -69+41%', '~200', '~200', '-'],
    ['step', 'lock', '~200 -69+41%', '~200', '~122', '-'],
    ['step', 'read', '~100 -82+138%', '~100', '~200', '-'],
    ['free', '-', '~300 -56+0%', '~0', '-', '-'],
  ]);
  expect(await cellsOf('#/data-flow', 1)).toEqual([
    ['from', 'to', 'objects', 'core changes', 'cycles'],
    ['allocated', 'init', '~300 -56+0%', '~0', '-'],
    ['init', 'lock', '~200 -69+41%', '~200', '~122'],
    ['init', 'read', '~100 -82+138%', '~0', '~200'],
    ['lock', 'read', '~200 -69+41%', '~0', '~200'],
    ['read', 'lock', '~200 -69+41%', '~200', '~122'],
    ['lock', 'freed', '~200 -69+41%', '~0', '-'],
    ['read', 'freed', '~100 -82+138%', '~0', '-'],
  ]);
});

/** What a pointer over the parts of a page's pictures reads. */
async function titlesOf(hash: string): Promise<string[]> {
  await goTo(open.page, hash);
  expect(await touchingTexts(open.page)).toEqual([]);
  return open.page.locator('figure svg title').allTextContents();
}

test('pictures say estimates, each with its bounds where they are known', async () => {
  expect(await titlesOf('#/overview')).toEqual([
    'struct drawn\ntrue sharing: ~1.20M ±25% of ~1.80M ±21% L1 misses',
    'struct drawn\ncapacity: ~600k ±36% of ~1.80M ±21% L1 misses',
  ]);
  expect(await open.page.locator('figure svg').getAttribute('aria-label')).toContain(
    'longest first: struct drawn has ~100.0% -4.1+0.0 of ~1.80M ±21% misses.',
  );
  expect(await titlesOf('#/working-set')).toEqual([
    'struct drawn',
    'L1, struct drawn: ~0 B -1+0% on average',
    'L2, struct drawn: ~0 B -1+0% on average',
    'LLC, struct drawn: ~0 B ±0% on average',
  ]);
  expect(await open.page.locator('figure svg').nth(1).getAttribute('aria-label')).toContain(
    'L1: ~0 B in use on average, of 32.0 KiB for each.',
  );
  const flow = await titlesOf('#/data-flow');
  expect([flow[1], flow[9]]).toEqual([
    '~200 -69+41% objects, ~200 of them to another core, ~122 cycles a reference',
    'lock: ~200 -69+41% objects, ~400 references, ~122 cycles on average',
  ]);
});

test('fields of a type whose members are not known', async () => {
  const [headings, ...fields] = await cellsOf('#/struct-layout', 0);
  expect(headings.slice(0, 5)).toEqual(['field', 'L1 misses', 'of all', 'compulsory', 'true sharing']);
  expect(fields.map((cells) => cells.slice(0, 5))).toEqual([
    ['(all of it)', '~1.80M ±21%', '~100.0% -4.1+0.0', '-', '~1.20M ±25%'],
    ['f0', '~1.20M ±25%', '~66.7% ±10.2', '-', '~1.20M ±25%'],
    ['f1', '~600k ±36%', '~33.3% ±10.2', '-', '<184k'],
  ]);
});

test('the typing ledger: sums of estimates', async () => {
  await goTo(open.page, '#/about');
  const [first] = await open.page.locator('table.plain tbody tr').all();
  expect(await first.locator('th, td').allTextContents()).toEqual([
    'type or variable named',
    '~8.60M',
    '~100.0%',
    '~1.80M',
    '~100.0%',
  ]);
});

test('nothing complained', () => {
  expect(open.incidents).toEqual([]);
});
