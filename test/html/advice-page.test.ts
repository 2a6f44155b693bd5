// Stage: test. The page of advice, in Chromium: it stands first, says what the text says with the numbers of the JSON,
// leads to the source, and warns of advice from another replay.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from '../cli/command-line.js';
import { goTo, openReport, photograph, settled, startChromium, touchingTexts, type OpenReport } from './browser.js';
import { drawAdvice, PAIR_NAMES } from './drawn-advice.js';
import { unpackBlock } from './unpack.js';

const folder = makeFolder();
const trace = saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
const { totals } = JSON.parse(dprof('report', trace, '--format', 'json', '--engine', 'ts').stdout);
const advice: AdviceJson = {
  ...drawAdvice({ ...PAIR_NAMES, file: 'drawn.c' }),
  cycles: totals.missLatencyCycles,
  instructions: totals.instructions,
};
let browser: Browser;
let open: OpenReport;

function writeReport(name: string, shown: AdviceJson): string {
  const [file, page] = [join(folder, `${name}.json`), join(folder, `${name}.html`)];
  writeFileSync(file, JSON.stringify(shown));
  const outcome = dprof('html', trace, '--advice', file, '-o', page, '--engine', 'ts');
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' });
  return page;
}

beforeAll(async () => {
  browser = await startChromium();
  open = await openReport(browser, writeReport('advice', advice));
});

afterAll(() => browser?.close());

/** Of the run: what the drawing costs is not what this run costs. */
const ofRun = (cycles: number): string =>
  `${((100 * cycles) / (advice.cycles + advice.instructions)).toFixed(1)}% of the run`;

const textsOf = (selector: string): Promise<string[]> => open.page.locator(selector).allTextContents();

test('the page holds the file, byte for byte as JSON has it', () => {
  const page = readFileSync(join(folder, 'advice.html'), 'utf8');
  expect(JSON.parse(unpackBlock(page, 'contents')[0]).views[0].key).toBe('advice');
  expect(JSON.parse(unpackBlock(page, 'view-0').join(''))).toEqual({ ...advice, rows: [] });
});

test('it stands first in the list of pages, and is shown first', async () => {
  expect((await textsOf('nav a')).slice(0, 2)).toEqual(['Advice', 'Overview']);
  expect(await textsOf('h1')).toEqual(['Advice']);
  expect(await open.page.locator('nav a[aria-current]').textContent()).toBe('Advice');
});

test('findings have the words of the text', async () => {
  await goTo(open.page, '#/advice');
  expect(await textsOf('h2:not(nav h2)')).toEqual([
    'Findings',
    '1. struct pair: false sharing',
    '2. u (double[], drawn.c:14): conflicts',
    '3. right (long): true sharing',
    'All changes together',
    'Left out',
  ]);
  expect((await textsOf('main section p')).filter((text) => !text.startsWith('dprof what-if'))).toEqual([
    `60.0% of the estimated cycles, ${ofRun(60_000)} (60,000 cycles), most of it by L1 misses (1,000, 50.0% of all), ` +
      'most at drawn.c:11 in count_left. ' +
      'The allocator makes it: with another one most of it is gone.',
    'Struct layout: which fields lie on one line →',
    'What to do: give struct pair lines of its own. struct pair has 128 bytes instead of 16, and 8 apart. It also ' +
      `helps u (double[], drawn.c:14): conflicts, 30.0% of the estimated cycles, ${ofRun(30_000)}.`,
    `30.0% of the estimated cycles, ${ofRun(30_000)} (30,000 cycles), most of it by L2 misses (600, 66.7% of all), ` +
      'most at drawn.c:26 in count_right.',
    'What to do: end the rows of u with 64 bytes of padding.',
    `4.0% of the estimated cycles, ${ofRun(4_000)} (4,000 cycles), most of it by LLC misses (80, 100.0% of all).`,
    'What to do: threads take turns in writing right: give each thread its own. No layout that was tried helps enough.',
    'both. struct pair has 128 bytes instead of 16, and 8 apart.',
  ]);
  expect((await textsOf('main section dl')).map((text) => text.trim())).toEqual([
    'missedstruct pair.left at drawn.c:11 in count_leftstoredstruct pair.right at drawn.c:21 in count_right' +
      'fieldsleft, right',
    'allocated atdrawn.c:14',
  ]);
  expect(await textsOf('main > p:last-child')).toEqual([
    'Left out: 2 problems, too small (--min-cycles) or without a change that brings enough (--min-gain). The ' +
      `largest: u (double[], drawn.c:14): conflicts, 2.0% of the estimated cycles, ${ofRun(2_000)}, most by L2 ` +
      'misses, at drawn.c:26.',
  ]);
});

test('what was tried, and a row for each finding', async () => {
  expect(await textsOf('main > dl dd')).toEqual([
    'pair of counters',
    `paper, paper with 48K/12 and 2M/16; 8 schedules; ${totals.missLatencyCycles.toLocaleString('en')} estimated ` +
      `cycles of misses beside ${totals.instructions.toLocaleString('en')} recorded instructions (none of libraries ` +
      'that dprof-cc did not compile); the run is both together',
    "28 changes on the recorded run; a finding's change does no harm on any machine or under any schedule",
  ]);
  expect(await textsOf('main > .sideways tbody tr')).toEqual([
    '1.struct pair: false sharing60.0%0.40 x',
    '2.u (double[], drawn.c:14): conflicts30.0%0.70 x',
    '3.right (long): true sharing4.0%-',
  ]);
});

test('every number of a prediction is that of the JSON', async () => {
  const cells = await open.page.locator('td[data-path]').all();
  expect(cells).toHaveLength(3 * 2 * 5);
  for (const cell of cells) {
    const path = (await cell.getAttribute('data-path'))!;
    const value = path.split('.').reduce((at: any, key) => at[key], advice);
    expect(`${path}: ${await cell.textContent()}`).toBe(`${path}: ${value.toLocaleString('en-US')}`);
  }
  const [first] = await open.page.locator('section').all();
  expect(await first.locator('tbody tr:has(td[data-path])').allTextContents()).toEqual([
    'estimated cycles100,00040,0000.40 x',
    'L1 misses2,0001,0000.50 x',
    'L2 misses9009001.00 x',
    'LLC misses8000.00 x',
    'estimated cycles on paper with 48K/12 and 2M/1600-',
  ]);
});

test('bars before and after, and the range over all schedules', async () => {
  const charts = open.page.locator('figure svg');
  expect(await charts.first().getAttribute('aria-label')).toBe(
    'Estimated cycles before and after: 0.40 x. Two bars, of struct pair: false sharing: 100,000 estimated cycles ' +
      'before, 40,000 after (38,000 to 52,000 under all schedules). The table below has every number.',
  );
  expect(await textsOf('figcaption')).toEqual([
    'Estimated cycles before and after: 0.40 x Run time of what was recorded: about 0.65 x. Under each schedule: ' +
      '0.38 to 0.50 x.',
    'Estimated cycles before and after: 0.70 x Run time of what was recorded: about 0.65 x. Under each schedule: ' +
      '0.38 to 0.50 x.',
    'Estimated cycles before and after: 0.40 x Run time of what was recorded: about 0.65 x. Under each schedule: ' +
      '0.38 to 0.50 x.',
  ]);
  const widths = await charts
    .first()
    .locator('rect')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(widths).toHaveLength(2);
  expect(widths[1] / widths[0]).toBeCloseTo(0.4, 2);
  const ranges = charts.locator('path[stroke="var(--ink)"], g[stroke="var(--ink)"] path');
  expect(await ranges.count()).toBe(2); // of the first finding, and of all changes: the second is alike everywhere
  expect(await touchingTexts(open.page)).toEqual([]);
});

test('structs before and after, with the borders of lines', async () => {
  const tables = open.page.locator('.structs table');
  expect(await tables.locator('caption').allTextContents()).toEqual([
    'struct pair before: 16 bytes on 1 line',
    'struct pair after: 128 bytes on 2 lines, aligned to 64, 56 bytes of holes, 56 bytes of padding',
    'struct pair_cold after, in a part of its own: 8 bytes on 1 line',
  ]);
  expect(await tables.locator('tbody tr').allTextContents()).toEqual([
    'leftlong0875.0%hot',
    'rightlong8825.0%hot',
    'alignas(64) leftlong0875.0%hot',
    'line 1, from 64',
    'alignas(64) rightlong64825.0%hot',
    'flags : 5long0:380.0%never used',
  ]);
});

test('commands repeat the predictions, and can be copied', async () => {
  expect(await textsOf('.command code')).toEqual([
    "dprof what-if pair.dptrace --align 'struct pair=64'",
    'dprof what-if pair.dptrace --pad-rows u/4096=+64',
    "dprof what-if pair.dptrace --align 'struct pair=64' --pad-rows u/4096=+64",
  ]);
  const [first] = await open.page.locator('.command').all();
  await first.locator('button').focus();
  await open.page.keyboard.press('Enter');
  await first.locator('[role="status"]:not(:empty)').waitFor();
  expect(await first.locator('[role="status"]').textContent()).toMatch(/^(copied|selected)$/);
});

test('a line leads to its place in the source', async () => {
  await goTo(open.page, '#/advice');
  await open.page.locator('section a', { hasText: 'drawn.c:21' }).click();
  await open.page.locator('tr.asked').waitFor();
  expect(await textsOf('h1')).toEqual(['Source']);
  expect(await open.page.locator('tr.asked th').textContent()).toBe('21');
});

test('the overview has the first finding in a sentence, and leads to the others', async () => {
  await goTo(open.page, '#/overview');
  const section = open.page.getByLabel('Advice', { exact: true });
  expect(await section.locator('p').first().textContent()).toBe(
    'Advice, the first of 3 findings: struct pair: false sharing, 60.0% of the estimated cycles, ' +
      `${ofRun(60_000)}. What to do: give ` +
      'struct pair lines of its own. It brings: estimated cycles 100,000 -> 40,000, 0.40 x.',
  );
  await section.locator('a', { hasText: 'what to change' }).click();
  await open.page.locator('h1', { hasText: 'Advice' }).waitFor();
});

test('advice of this run has no warning; that of another replay has one', async () => {
  await goTo(open.page, '#/advice');
  expect(await open.page.locator('.note').count()).toBe(0);
  const other = writeReport('other', { ...advice, command: 'pair of shoes', cycles: 7, instructions: 8 });
  const { page, incidents } = await openReport(browser, other);
  expect(await page.locator('.note').textContent()).toBe(
    'The advice is of another run or another replay than the other pages: the program was pair of shoes there and is ' +
      `pair of counters here; 8 instructions there, ${totals.instructions.toLocaleString('en')} here; 7 estimated ` +
      `cycles there, ${totals.missLatencyCycles.toLocaleString('en')} here.`,
  );
  expect(incidents).toEqual([]);
  await page.close();
});

test('nothing serious', async () => {
  const nearest = { text: 'pad struct pair', options: ['--pad', 'struct pair=+64'], gainShare: 0.012 };
  const calm = writeReport('calm', {
    ...advice,
    minGain: 0.05,
    bestTried: { ...nearest, cycles: { before: 4000, after: 3952 } },
    findings: [],
    all: null,
    left: {
      count: 1,
      largestShare: 0.5,
      largest: null,
      costliest: [
        {
          ...advice.findings[0].others[0],
          nearest,
        },
      ],
    },
  });
  const { page, incidents } = await openReport(browser, calm);
  expect(await page.locator('.sentence').textContent()).toBe(
    'Nothing serious: nothing that was tried brings enough of the run (instructions and estimated cycles; ' +
      '--min-gain). Misses cost 99.0% of it all the same: what costs most may need another data structure, or less ' +
      'data.',
  );
  expect(await page.locator('main > p').nth(1).textContent()).toBe(
    'The best that was tried saves 1.2% of the estimated cycles, 1.2% of the run (less than 5%: --min-gain): ' +
      'pad struct pair. Predicted: estimated cycles 4,000 -> 3,952, 0.99 x.',
  );
  expect(await page.locator('.command code').allTextContents()).toEqual([
    "dprof what-if pair.dptrace --pad 'struct pair=+64'",
  ]);
  expect(await page.locator('main > ul li').allTextContents()).toEqual([
    `u (double[], drawn.c:14): conflicts, 30.0% of the estimated cycles, ${ofRun(30_000)}, most by L2 misses, at ` +
      'drawn.c:26. That change comes nearest.',
  ]);
  await photograph(page, 'advice-calm');
  await goTo(page, '#/overview');
  expect(await page.getByLabel('Advice', { exact: true }).locator('p').first().textContent()).toBe(
    'Advice: nothing serious.',
  );
  expect(incidents).toEqual([]);
  await page.close();
});

test('light, dark, narrow, on paper', async () => {
  await goTo(open.page, '#/advice');
  await photograph(open.page, 'advice-light');
  const dark = await openReport(browser, join(folder, 'advice.html'), 'dark');
  await settled(dark.page);
  await photograph(dark.page, 'advice-dark');
  expect(dark.incidents).toEqual([]);
  await dark.page.close();
  await open.page.setViewportSize({ width: 420, height: 800 });
  await goTo(open.page, '#/advice');
  expect(await open.page.evaluate('document.documentElement.scrollWidth')).toBe(420);
  expect(await touchingTexts(open.page)).toEqual([]);
  await photograph(open.page, 'advice-narrow');
  await open.page.setViewportSize({ width: 1360, height: 900 });
  const paper = await open.page.pdf({ path: join(folder, 'advice.pdf'), preferCSSPageSize: true });
  expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
  expect(open.incidents).toEqual([]);
});
