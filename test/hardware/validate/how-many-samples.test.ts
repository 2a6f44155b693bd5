// Stage: test. docs/how-many-samples.md says what docs/plots/*.json say: every table and every plot is made again and
// is the same, byte for byte.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../cli/command-line.js';
import { startChromium } from '../../html/browser.js';
import { DRAWINGS, drawingsOf, fillTables, PAGE, PLOTS } from '../../real/samples-page.js';
import { CHARTS, renderPlots } from '../../real/samples-plots.js';

const page = readFileSync(PAGE, 'utf8');
let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(() => browser?.close());

test('tables', () => expect(fillTables(page, drawingsOf())).toBe(page));

test('a table that there is not', () =>
  expect(() => fillTables('<!-- nothing -->\n<!-- end -->', drawingsOf())).toThrow("asks for a table 'nothing'"));

test.each(drawingsOf())('plots: %s', async (name, { bySamples }) => {
  const plots = await renderPlots(browser, makeFolder(), bySamples);
  for (const [chart, svg] of plots) expect(readFileSync(join(PLOTS, `${name}-${chart}.svg`), 'utf8')).toBe(svg);
});

test('no plot is left over, and the page shows all of them', () => {
  const all = DRAWINGS.flatMap((name) => Object.keys(CHARTS).map((chart) => `${name}-${chart}.svg`)).sort();
  const shownIn = (text: string): string[] =>
    [...text.matchAll(/!\[[^\]]+\]\(plots\/([^)]+)\)/g)].map(([, file]) => file);
  expect(shownIn(page).sort()).toEqual(all);
  const ofBlocks = shownIn(readFileSync(join(PLOTS, '../blocks.md'), 'utf8'));
  expect(
    readdirSync(PLOTS)
      .filter((file) => file.endsWith('.svg'))
      .sort(),
  ).toEqual([...all, ...ofBlocks].sort());
});
