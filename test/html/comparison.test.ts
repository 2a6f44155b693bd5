// Stage: test. Two runs of the packet pipeline compared as a page, in Chromium: its numbers are those of dprof diff
// --format json, as counted and per request.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderComparison } from '../../src/html/html-report.js';
import { renderJson } from '../../src/report/json.js';
import { atLength, IS_AT_LENGTH } from '../at-length.js';
import { dprof, DPROF_CC, makeFolder } from '../cli/command-line.js';
import { goTo, openReport, photograph, readTables, settled, startChromium, type OpenReport } from './browser.js';
import { expectNumbers, spellUnit } from './expected-cells.js';
import { unpackBlock } from './unpack.js';

const STUDIES = resolve(import.meta.dirname, '../../examples/case-studies');
const folder = makeFolder();
const sides = ['before', 'after'].map((side) => join(folder, `${side}.dprofile`));
const [plain, perRequest, unlike] = ['plain.html', 'request.html', 'unlike.html'].map((name) => join(folder, name));
const buff = 'struct sk_buff';
let browser: Browser;
let open: OpenReport;
let diff: any;

beforeAll(async () => {
  for (const [side, ...flags] of [['before'], ['after', '-DAFTER']]) {
    const at = join(folder, side);
    execFileSync(
      DPROF_CC,
      [
        '-O2',
        '-g',
        ...flags,
        '-pthread',
        `-I${join(STUDIES, '../../runtime/include')}`,
        'transmit-queue/transmit-queue.c',
        '-o',
        at,
      ],
      { cwd: STUDIES },
    );
    expect(dprof('record', '-o', `${at}.dptrace`, '--', at).status).toBe(0);
    expect(dprof('replay', `${at}.dptrace`, '-o', `${at}.dprofile`).status).toBe(0);
  }
  for (const [page, ...words] of [[plain], [perRequest, '--per', 'request']])
    expect(dprof('diff', ...sides, ...words, '--format', 'html', '-o', page)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  expect(
    dprof(
      'replay',
      join(folder, 'after.dptrace'),
      '-o',
      join(folder, 'other.dprofile'),
      '--l1',
      '16K/4',
      '--schedule',
      'random:3',
    ).status,
  ).toBe(0);
  expect(dprof('diff', sides[0], join(folder, 'other.dprofile'), '--format', 'html', '-o', unlike).status).toBe(0);
  diff = JSON.parse(dprof('diff', ...sides, '--per', 'request', '--format', 'json').stdout);
  browser = await startChromium();
  open = await openReport(browser, perRequest);
});

afterAll(() => browser?.close());

test.each([
  ['as counted', plain],
  ['per request', perRequest, '--per', 'request'],
])(
  'the page holds what --format json prints, byte for byte where its rows are put together again: %s',
  (_, page, ...words) => {
    const file = readFileSync(page, 'utf8');
    expect(JSON.parse(unpackBlock(file, 'contents')[0]).views.map(({ key }: { key: string }) => key)).toEqual([
      'diff',
      'diff-fields',
      'diff-paths',
    ]);
    const [whole, ofFields, ofPaths] = [0, 1, 2].map((view) => JSON.parse(unpackBlock(file, `view-${view}`).join('')));
    const rows = whole.rows.flatMap((row: any) => [row, ...ofFields.rows.filter(({ type }: any) => type === row.type)]);
    expect(ofFields.rows).toHaveLength(rows.length - whole.rows.length);
    const again = { ...whole, paths: { ...whole.paths, rows: ofPaths.rows }, rows };
    expect([...renderJson(again)].join('')).toBe(dprof('diff', ...sides, ...words, '--format', 'json').stdout);
  },
);

const read = (row: any, path: string): any => path.split('.').reduce((value: any, key) => value?.[key], row);

/** Largest change first, then by name. */
function ranked(rows: any[], path: string): any[] {
  const size = (row: any): number => Math.abs(read(row, path).change ?? 0);
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return rows.toSorted((a, b) => size(b) - size(a) || order(a.type, b.type) || order(a.field ?? '', b.field ?? ''));
}

const wholes = (): any[] => diff.rows.filter(({ field }: any) => field === null);
const own = (path: string): any[] => {
  const ofType = diff.rows.filter(({ type }: any) => type === buff);
  return [ofType[0], ...ranked(ofType.slice(1), path)];
};
const ofPaths = (isShown: (row: any) => boolean): any[] => ranked(diff.paths.rows.filter(isShown), 'frequency.perWork');
const per = 'perWork';

test.each<[page: string, rows: () => any[]]>([
  ['#/types', () => ranked(wholes(), `missLatencyCycles.${per}`)],
  ['#/types?by=cycles&numbers=counted', () => ranked(wholes(), 'missLatencyCycles')],
  ['#/types?by=cache-to-cache', () => ranked(wholes(), `cacheToCache.${per}`)],
  [`#/fields?type=${buff}`, () => own(`missLatencyCycles.${per}`)],
  [`#/fields?type=${buff}&by=references&numbers=counted`, () => own('references')],
  ['#/miss-classes', () => ranked(wholes(), `levels.${diff.level}.misses.${per}`)],
  ['#/miss-classes?level=l2&numbers=counted', () => ranked(wholes(), 'levels.l2.misses')],
  [
    '#/objects',
    () =>
      ranked(
        wholes().filter(({ objects }) => objects !== null),
        'objects.workingSetBytes',
      ),
  ],
  [
    '#/objects?by=lifetime&numbers=counted',
    () =>
      ranked(
        wholes().filter(({ objects }) => objects !== null),
        'objects.averageLifetimeInstructions',
      ),
  ],
])('the numbers of %s are those of the comparison', async (page, rows) => {
  await goTo(open.page, page);
  const [table, ofClasses] = await readTables(open.page);
  if (page.startsWith('#/fields')) expect(expectNumbers(ofClasses, rows(), diff)).toBeGreaterThan(0);
  expect(table.drawn.map(({ cells: [name] }) => name)).toEqual(
    rows()
      .slice(0, table.drawn.length)
      .map(({ type, field }) => (page.startsWith('#/fields') ? (field ?? '(the whole type)') : type)),
  );
  expect(expectNumbers(table, rows(), diff)).toBeGreaterThan(0);
});

test.each<[which: string, isShown: (row: any) => boolean]>([
  ['changed', ({ frequency }) => frequency.change !== 0],
  ['appeared', ({ presence }) => presence === 'appeared'],
  ['vanished', ({ presence }) => presence === 'vanished'],
  ['all', () => true],
])('paths: %s', async (which, isShown) => {
  await goTo(open.page, `#/paths?which=${which}`);
  const rows = diff.paths.rows.filter(isShown);
  const [table] = await readTables(open.page);
  expect(await open.page.locator('.controls select').first().locator('option:checked').textContent()).toMatch(
    new RegExp(`\\(${rows.length.toLocaleString('en-US')}\\)$`),
  );
  expect(rows.length).toBeGreaterThan(0);
  // Paths with the same change keep the order of the comparison.
  const size = ({ frequency }: any): number => Math.abs(frequency.perWork.change);
  expectNumbers(
    table,
    rows.toSorted((a: any, b: any) => size(b) - size(a)),
    diff,
  );
});

test('one path, step by step', async () => {
  await goTo(open.page, `#/paths?type=${buff}&which=vanished`);
  await open.page.locator('.scroller').first().locator('tbody a').nth(1).click();
  await settled(open.page);
  const [row] = ofPaths(({ presence, type }) => presence === 'vanished' && type === buff).slice(1);
  const steps = (await readTables(open.page))[1];
  expect(steps.drawn[0].cells.slice(0, 2)).toEqual([row.steps[0].function, row.steps[0].coreChange ? 'yes' : '']);
  expect(await open.page.locator('tr.asked').count()).toBe(1);
});

test("the overview says what changed most, and its totals are the comparison's", async () => {
  await goTo(open.page, '#/overview');
  const [first] = wholes();
  const { before, after } = first.missLatencyCycles.perWork;
  const told = await open.page.locator('.takeaway .sentence').textContent();
  expect(told).toMatch(
    new RegExp(
      `^${first.type} changed most: its estimated cycles per request went from ${spellUnit('rate', before)} to ` +
        `${spellUnit('rate', after)} \\(`,
    ),
  );
  const cells = await open.page.locator('[data-path]').all();
  expect(cells.length).toBeGreaterThan(40);
  for (const cell of cells) {
    const [path, unit] = [await cell.getAttribute('data-path'), await cell.getAttribute('data-unit')];
    expect(`${path}: ${await cell.textContent()}`).toBe(`${path}: ${spellUnit(unit!, read(diff, path!))}`);
  }
  await open.page.locator('.controls select').selectOption('counted');
  await open.page.waitForFunction(
    "location.hash.includes('counted') && document.querySelector('main').getAttribute('aria-busy') === 'false'",
  );
  expect(await open.page.locator('[data-path="totals.references.before"]').textContent()).toBe(
    diff.totals.references.before.toLocaleString('en-US'),
  );
  await open.page.locator('.takeaway a.next').click();
  await open.page.locator('h1', { hasText: 'Fields' }).waitFor();
  await settled(open.page);
  expect(await open.page.locator('.type-choice input').inputValue()).toBe(first.type);
});

test('a heading sorts by the sign too, and a search keeps the rows that have the words', async () => {
  await goTo(open.page, '#/types');
  const column = `levels.l1.misses.${per}.change`;
  const changes = async (): Promise<number[]> =>
    (await readTables(open.page))[0].drawn.map(
      ({ row }) => ranked(wholes(), `missLatencyCycles.${per}`)[row].levels.l1.misses.perWork.change,
    );
  await open.page.locator(`th[data-column="${column}"] button`).click();
  expect(await changes()).toEqual((await changes()).toSorted((a, b) => b - a));
  await open.page.locator(`th[data-column="${column}"] button`).click();
  expect(await changes()).toEqual((await changes()).toSorted((a, b) => a - b));
  await open.page.getByLabel('search types').fill('STRUCT');
  await open.page.locator('.count', { hasText: ' of ' }).waitFor();
  expect((await readTables(open.page))[0].drawn.map(({ cells }) => cells[0]).toSorted()).toEqual(
    wholes()
      .map(({ type }) => type)
      .filter((type) => type.includes('struct'))
      .toSorted(),
  );
});

test('runs that were made differently are said to be so, on every page', async () => {
  const { page, incidents } = await openReport(browser, unlike);
  const { madeDifferently } = JSON.parse(
    dprof('diff', sides[0], join(folder, 'other.dprofile'), '--format', 'json').stdout,
  );
  expect(madeDifferently.map(({ what }: any) => what)).toEqual(['machine l1.sizeBytes', 'machine l1.ways', 'schedule']);
  for (const link of await page.locator('nav a').all()) {
    await link.click();
    await settled(page);
    expect(await page.locator('main').innerText()).toContain('DIFFERENT');
    for (const { what } of madeDifferently) expect(await page.locator('main').innerText()).toContain(what);
    await photograph(page, `comparison-unlike-${(await link.getAttribute('href'))!.slice(2)}`);
  }
  await goTo(page, '#/runs');
  expect(
    await page
      .locator('.different table')
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))),
  ).toEqual(madeDifferently.map(({ what, before, after, meaning }: any) => [what, before, after, meaning]));
  await goTo(open.page, '#/runs');
  expect(await open.page.locator('main').innerText()).not.toContain('DIFFERENT');
  expect(incidents).toEqual([]);
  await page.close();
});

test('every page is reached by keyboard alone, in light and dark, and prints', async () => {
  await goTo(open.page, '#/overview');
  const titles = [
    'What changed',
    'The two runs',
    'Types',
    'Fields',
    'Miss classes',
    'Working set and lifetimes',
    'Paths',
  ];
  expect(await open.page.locator('nav a').allTextContents()).toEqual(titles);
  const dark = await openReport(browser, plain, 'dark');
  for (const [index, title] of titles.entries()) {
    await open.page.locator('.theme').focus();
    for (let step = 0; step <= index; step++) await open.page.keyboard.press('Tab');
    await open.page.keyboard.press('Enter');
    await open.page.locator('h1', { hasText: title }).waitFor();
    await settled(open.page);
    await settled(open.page);
    expect(await open.page.title()).toBe(`${title} - before.dprofile → after.dprofile - dprof`);
    for (const chart of await open.page.locator('figure svg').all())
      expect(await chart.getAttribute('aria-label')).toMatch(/\.$/);
    await photograph(open.page, `comparison-light-${index}`);
    if (index % 3 > 0 && !IS_AT_LENGTH) continue;
    await dark.page.locator('nav a').nth(index).click();
    await settled(dark.page);
    await photograph(dark.page, `comparison-dark-${index}`);
  }
  expect((await open.page.pdf({ preferCSSPageSize: true })).subarray(0, 5).toString()).toBe('%PDF-');
  expect(dark.incidents).toEqual([]);
  await dark.page.close();
});

test('a narrow window shows the same without scrolling sideways', async () => {
  await open.page.setViewportSize({ width: 420, height: 800 });
  for (const page of ['overview', 'runs', 'types', 'objects']) {
    await goTo(open.page, `#/${page}`);
    expect([page, await open.page.evaluate('document.documentElement.scrollWidth')]).toEqual([page, 420]);
  }
  await photograph(open.page, 'comparison-narrow');
  await open.page.setViewportSize({ width: 1360, height: 900 });
});

const TYPES = atLength(1000, 5000);
const PATHS = 4 * TYPES;

test(`of ${TYPES} types and ${PATHS} paths only what is in sight is elements, and every one is found`, async () => {
  const own = diff.rows.filter(({ type }: any) => type === buff);
  const nameOf = (type: number): string => `struct type_${String(type).padStart(4, '0')}`;
  const rows = Array.from({ length: TYPES }, (_, type) =>
    own.slice(0, 3).map((row: any) => ({ ...row, type: nameOf(type) })),
  ).flat();
  const paths = {
    ...diff.paths,
    rows: Array.from({ length: PATHS }, (_, path) => ({ ...diff.paths.rows[0], type: nameOf(path % TYPES) })),
  };
  const file = join(folder, 'large.html');
  const packed: string[] = [];
  writeFileSync(file, await renderComparison({ ...diff, rows, paths }, (name) => packed.push(name)));
  expect(packed).toEqual(['diff', 'diff-fields', 'diff-paths']);
  const { page, incidents } = await openReport(browser, file);
  await goTo(page, '#/types');
  await page.evaluate("document.querySelector('.scroller').scrollTo(0, 1e9)");
  await page.locator(`tr[aria-rowindex="${TYPES + 1}"]`).waitFor();
  const [types] = await readTables(page);
  expect([types.rows, types.drawn.length < 100, types.drawn.at(-1)?.cells[0]]).toEqual([
    TYPES,
    true,
    nameOf(TYPES - 1),
  ]);
  await goTo(page, `#/fields?type=${nameOf(TYPES - 123)}`);
  expect(expectNumbers((await readTables(page))[0], own.slice(0, 3), diff)).toBeGreaterThan(0);
  await goTo(page, '#/paths');
  await page.getByLabel('search paths').fill(nameOf(TYPES - 123).slice('struct '.length));
  await page.locator('.count', { hasText: `4 of ${PATHS.toLocaleString('en-US')} paths` }).waitFor();
  expect(incidents).toEqual([]);
  await page.close();
});

test('nothing was asked of a network, and the console stayed silent', () => expect(open.incidents).toEqual([]));
