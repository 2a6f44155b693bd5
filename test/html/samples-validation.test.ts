// Stage: test. Samples beside a run as a page, in Chromium: its numbers are those of the JSON, its plot says what it
// shows, and nothing is asked for elsewhere.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderSamplesValidationPage } from '../../src/hardware/report/validation-pages.js';
import { renderJson } from '../../src/report/json.js';
import type { SamplesValidation } from '../../src/hardware/validate/validate-samples.js';
import { makeFolder } from '../cli/command-line.js';
import { compare, drawRun, drawSampled } from '../hardware/validate/drawn-comparison.js';
import {
  goTo,
  openReport,
  photograph,
  readTables,
  settled,
  startChromium,
  touchingTexts,
  type OpenReport,
} from './browser.js';
import { expectNumbers, spellUnit } from './expected-cells.js';
import { unpackBlock } from './unpack.js';

const file = join(makeFolder(), 'validation.html');
let data: SamplesValidation;
let browser: Browser;
let open: OpenReport;

beforeAll(async () => {
  const run = drawRun(
    '30 R packet.len in send\n10 R packet.next in take\n20 R table.size in send\n20 W table.size in take',
  );
  data = compare(
    run,
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:1', samples: 300, latency: 5 },
      { what: 'struct packet.next', at: 'take drawn.c:31', samples: 100, latency: 10 },
      { what: 'struct table.size', at: 'send drawn.c:41', samples: 200, from: 'L2', latency: 30 },
      { what: 'struct table.size', at: 'other<b> drawn.c:61', samples: 50 },
      { what: 'struct packet.next', at: 'send drawn.c:2', samples: 3 },
      { what: '', at: 'send drawn.c:2', samples: 4 },
    ]),
    { by: 'field' },
  );
  writeFileSync(file, renderSamplesValidationPage(data));
  browser = await startChromium();
  open = await openReport(browser, file);
});

afterAll(() => browser?.close());

test('the page holds what --format json prints, byte for byte', () => {
  expect(unpackBlock(readFileSync(file, 'utf8'), 'view-0').join('')).toBe([...renderJson(data)].join(''));
});

const sharesOf = (measure: string): SamplesValidation['rows'] => data.rows.filter((row) => row.measure === measure);

test.each(['references', 'misses', 'cycles'] as const)('shares of %s: verdict, numbers, plot', async (measure) => {
  await goTo(open.page, `#/overview?measure=${measure}`);
  expect(await open.page.locator('.takeaway .sentence').textContent()).toBe(
    'TOO FEW: 603 samples do not say shares of loads to 2 points; 2,398 would do',
  );
  const [measures, shares, levels] = await readTables(open.page);
  expect(expectNumbers(measures, [...data.measures], data)).toBeGreaterThan(0);
  expect(expectNumbers(levels, [...data.levels], data)).toBeGreaterThan(0);
  const rows = sharesOf(measure);
  expect(shares.drawn.map(({ cells: [type, field] }) => `${type}.${field}`)).toEqual(
    rows.map(({ type, field }) => `${type}.${field ?? '(no field)'}`),
  );
  expect(expectNumbers(shares, [...rows], data)).toBeGreaterThan(0);
  expect(shares.drawn[0].cells.slice(2, 4)).toEqual([
    spellUnit('rate', rows[0].exactPercent),
    spellUnit('rate', rows[0].sampledPercent),
  ]);
  const words = await open.page.locator('figure svg').first().getAttribute('aria-label');
  expect(words).toContain(`${rows[0].type}.${rows[0].field} has ${rows[0].exactPercent.toFixed(2)} %`);
  expect(await open.page.locator('figure svg circle').count()).toBe(rows.length);
});

test('where no sample says anything, the plot has exact shares alone', async () => {
  const other = join(makeFolder(), 'nothing.html');
  const nothing = compare(
    drawRun('30 R packet.len in send\n10 R packet.next in take'),
    drawSampled([{ what: '', at: 'send drawn.c:2', samples: 4 }]),
    { by: 'field' },
  );
  writeFileSync(other, renderSamplesValidationPage(nothing));
  const { page, incidents } = await openReport(browser, other);
  const plot = page.locator('figure svg');
  expect(await plot.locator('title').allTextContents()).toEqual([
    'struct packet.len: exact 75.00 %, sampled nothing: too few',
    'struct packet.next: exact 25.00 %, sampled nothing: too few',
  ]);
  expect(await plot.locator('circle').count()).toBe(0);
  expect(incidents).toEqual([]);
  await page.close();
});

test('a heading sorts', async () => {
  await goTo(open.page, '#/overview?measure=references');
  await open.page.locator('th[data-column="sampledPercent"] button').first().click();
  const [, shares] = await readTables(open.page);
  const sampled = shares.drawn.map(({ row }) => sharesOf('references')[row].sampledPercent!);
  expect(sampled).toEqual(sampled.toSorted((a, b) => b - a));
});

test('where samples are: code, skid, types, reasons', async () => {
  await goTo(open.page, '#/code');
  const tables = await readTables(open.page);
  expect(tables.map(({ rows }) => rows)).toEqual([data.foreign.length, data.skid.rows.length, data.typed.length, 1]);
  expect(tables[0].drawn[0].cells).toEqual(['other<b>', 'program', 'not instrumented', '50']);
  expect(tables[1].drawn[0].cells).toEqual(['struct packet', 'next', 'send', 'drawn.c:2', '3']);
  expect(tables[3].drawn[0].cells).toEqual(['unknown-memory', '4']);
});

test('nothing was asked for, nothing complained; both themes, and a narrow window', async () => {
  await photograph(open.page, 'validation-code');
  await goTo(open.page, '#/overview?measure=references');
  await open.page.locator('figure').scrollIntoViewIfNeeded();
  await photograph(open.page, 'validation-plot');
  await open.page.setViewportSize({ width: 420, height: 800 });
  await settled(open.page);
  expect(await open.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await touchingTexts(open.page)).toEqual([]);
  await photograph(open.page, 'validation-narrow');
  expect(open.incidents).toEqual([]);
});
