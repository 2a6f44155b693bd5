// Stage: test. A resampling as a page, in Chromium: it holds what --format json prints, its tables and its charts say
// those numbers.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderResamplingPage } from '../../src/hardware/report/validation-pages.js';
import { renderJson } from '../../src/report/json.js';
import { MEASURES } from '../../src/hardware/validate/sampled-shares.js';
import { makeFolder } from '../cli/command-line.js';
import { goTo, openReport, photograph, readTables, startChromium, touchingTexts, type OpenReport } from './browser.js';
import { drawResampling } from './drawn-resampling.js';
import { expectNumbers } from './expected-cells.js';
import { unpackBlock } from './unpack.js';

const file = join(makeFolder(), 'resampling.html');
const data = drawResampling(20_000);
const ofMeasure = (measure: string): typeof data.rows => data.rows.filter((row) => row.measure === measure);
let browser: Browser;
let open: OpenReport;

beforeAll(async () => {
  writeFileSync(file, renderResamplingPage(data));
  browser = await startChromium();
  open = await openReport(browser, file);
});

afterAll(() => browser?.close());

test('the page holds what --format json prints, byte for byte', () => {
  const page = readFileSync(file, 'utf8');
  expect(JSON.parse(unpackBlock(page, 'contents')[0]).views.map(({ key }: { key: string }) => key)).toEqual([
    'resample',
  ]);
  expect(unpackBlock(page, 'view-0').join('')).toBe([...renderJson(data)].join(''));
});

test.each(MEASURES.flatMap((measure) => data.samplers.map(({ sampler }) => [measure, sampler] as const)))(
  'errors by type: %s, %s',
  async (measure, sampler) => {
    await goTo(open.page, `#/errors?of=${measure}&sampler=${sampler}`);
    const [table] = await readTables(open.page);
    expect(expectNumbers(table, ofMeasure(measure), data)).toBe(10 * (table.columns.length - 1));
    // A dot for each point that says something: full ones are further off than chance.
    const points = ofMeasure(measure)
      .flatMap(({ curve }) => curve[sampler])
      .filter(({ errorPoints }) => errorPoints !== null);
    const beyond = points.filter(({ errorPoints, chancePoints }) => Math.abs(errorPoints!) > chancePoints!);
    const dots = await open.page
      .locator('figure svg g[stroke-width="1.5"] circle, figure svg g:not([stroke-width]) circle')
      .count();
    expect([
      dots,
      await open.page.locator('figure svg circle[r="3"]').count(),
      await open.page.locator('figure svg circle[r="3.5"]').count(),
    ]).toEqual([points.length, points.length - beyond.length, beyond.length]);
    expect(
      await open.page.locator('figure svg path[fill="none"], figure svg g[fill="none"] path').count(),
    ).toBeGreaterThanOrEqual(10);
  },
);

test.each(MEASURES)('exact and sampled shares: %s', async (measure) => {
  await goTo(open.page, `#/shares?of=${measure}`);
  const [table] = await readTables(open.page);
  expect(expectNumbers(table, ofMeasure(measure), data)).toBe(10 * (1 + data.samplers.length));
});

test('findings lost: a row for each measure, sampler and power of ten', async () => {
  await goTo(open.page, '#/lost');
  const rows = MEASURES.flatMap((measure) =>
    data.samplers.flatMap(({ sampler, curve }) =>
      curve
        .filter(({ oneIn }) => [1, 10, 100, 1000].includes(oneIn))
        .map(({ oneIn, measures }) => ({ sampler, oneIn, ...measures[measure] })),
    ),
  );
  const [table] = await readTables(open.page);
  expect(expectNumbers(table, rows, data)).toBe(3 * table.drawn.length);
  expect(table.drawn.map(({ row }) => [rows[row].sampler, rows[row].lost.join(', ')].join()).join('\n')).toBe(
    table.drawn.map(({ cells: [, sampler, , , , which] }) => [sampler, which].join()).join('\n'),
  );
  expect(rows.some(({ lost }) => lost.length > 0)).toBe(true);
});

test('the overview: how far off samples are, and a table of samplers that can be sorted', async () => {
  await goTo(open.page, '#/overview?of=misses');
  const [even] = data.samplers;
  expect(await open.page.locator('.takeaway .sentence').textContent()).toBe(
    `20,000 samples drawn alike are off by at most ${even.curve[0].measures.references.worstPoints!.toFixed(2)}` +
      ' points in the shares of references of the 10 largest types (' +
      `${even.curve[0].measures.references.worstType}).`,
  );
  expect(await open.page.locator('header .program').textContent()).toBe('/tmp/a run.dptrace');
  const [table] = await readTables(open.page);
  expect(expectNumbers(table, data.samplers, data)).toBeGreaterThan(6 * 9);
  await open.page.locator('th[data-column="curve.0.measures.misses.worstPoints"] button').click();
  const sorted = (await readTables(open.page))[0].drawn.map(
    ({ row }) => data.samplers[row].curve[0].measures.misses.worstPoints!,
  );
  expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
});

test('choices lead to the same page of another measure, and of another sampler', async () => {
  await goTo(open.page, '#/errors');
  await open.page.getByLabel('shares of', { exact: true }).selectOption('misses');
  await open.page.waitForFunction(
    "location.hash.includes('of=misses') && document.querySelector('main').getAttribute('aria-busy') === 'false'",
  );
  await open.page.getByLabel('sampler', { exact: true }).selectOption('skid');
  await open.page.waitForFunction(
    "location.hash.includes('sampler=skid') && document.querySelector('main').getAttribute('aria-busy') === 'false'",
  );
  expect(await open.page.locator('figcaption strong').textContent()).toBe('skid: error in shares of L1 misses');
});

test.each(['overview', 'errors', 'shares', 'lost'])('photographs: %s', async (name) => {
  await goTo(open.page, `#/${name}`);
  expect(await touchingTexts(open.page)).toEqual([]);
  await photograph(open.page, `resampling-${name}`);
  const dark = await openReport(browser, file, 'dark');
  await goTo(dark.page, `#/${name}`);
  await photograph(dark.page, `resampling-${name}-dark`);
  expect(dark.incidents).toEqual([]);
  await dark.page.close();
});

test('nothing was asked of a network, and the console stayed silent', () => expect(open.incidents).toEqual([]));
