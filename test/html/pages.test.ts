// Stage: test. Every page of a report in Chromium: it shows the numbers of the views, sorts and searches, and can be
// used with a keyboard alone.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IS_AT_LENGTH } from '../at-length.js';
import { dprof, DPROF_CC, makeFolder } from '../cli/command-line.js';
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
  expect(dprof('html', profile, '-o', report, '--source-path', ROOT)).toEqual({ status: 0, stdout: '', stderr: '' });
  browser = await startChromium();
  open = await openReport(browser, report);
});

afterAll(() => browser?.close());

const views = new Map<string, any>();

function view(name: string): any {
  if (!views.has(name))
    views.set(name, JSON.parse(dprof('report', profile, '--view', name, '--format', 'json').stdout));
  return views.get(name);
}

interface Comparison {
  readonly page: string;
  readonly view: string;
  /** The page's tables, in their order: which rows each shows. */
  readonly tables: readonly ((rows: any[]) => any[])[];
  /** The whole of the shares, if it is not the view's totals. */
  readonly whole?: (rows: any[]) => object;
}

const all = (rows: any[]): any[] => rows;
const message = 'struct message';
const ofMessage = (rows: any[]): any => rows.find(({ type }) => type === message);
const TABLES: readonly Comparison[] = [
  { page: '#/data-profile', view: 'data-profile', tables: [all] },
  {
    page: '#/miss-classes',
    view: 'miss-classification',
    tables: [(rows) => rows.filter(({ field }) => field === null)],
  },
  {
    page: '#/miss-classes?level=l2&rows=fields',
    view: 'miss-classification',
    tables: [(rows) => rows.filter(({ field }) => field !== null)],
  },
  { page: '#/miss-classes?level=llc&rows=both', view: 'miss-classification', tables: [all] },
  {
    page: '#/struct-layout?type=struct+message',
    view: 'struct-layout',
    tables: [(rows) => ofMessage(rows).rows],
    whole: (rows) => ({ totals: { missLatencyCycles: ofMessage(rows).missLatencyCycles } }),
  },
  {
    page: '#/struct-layout?type=pthread_t',
    view: 'miss-classification',
    tables: [(rows) => rows.filter(({ type }) => type === 'pthread_t')],
  },
  { page: '#/working-set?type=struct+message', view: 'working-set', tables: [all, (rows) => ofMessage(rows).paths] },
  { page: '#/sets?level=l1&type=struct+message&bin=5', view: 'working-set', tables: [(rows) => inSet(rows, 'l1', 5)] },
  {
    page: '#/data-flow?type=struct+message',
    view: 'data-flow',
    tables: [(rows) => ofMessage(rows).nodes, (rows) => ofMessage(rows).edges],
  },
  {
    page: '#/path-traces?type=struct+message&path=0',
    view: 'path-traces',
    tables: [(rows) => rows.filter(({ type }) => type === message), (rows) => ofMessage(rows).steps],
  },
  {
    page: '#/sharing',
    view: 'sharing',
    tables: [all],
    // Pairs of all three classes, of which the totals have two.
    whole: (rows) => ({ totals: { pairs: rows.reduce((sum, { misses }) => sum + misses, 0) } }),
  },
  { page: '#/invalidations', view: 'invalidations', tables: [(rows) => rows.filter(({ level }) => level === 'l1')] },
  { page: '#/functions?level=l2', view: 'functions', tables: [all] },
];

function inSet(rows: any[], level: string, bin: number): any[] {
  return rows
    .map((row) => ({
      type: row.type,
      lines: row.linesPerSet[level][bin],
      objects: row.objectsPerSet[level][bin],
      misses: row.missesPerSet[level][bin],
    }))
    .filter(({ lines, misses }) => lines > 0 || misses > 0)
    .sort((a, b) => b.lines - a.lines || (a.type < b.type ? -1 : 1));
}

test.each(TABLES)('the numbers of $page are those of --view $view', async ({ page, view: name, tables, whole }) => {
  await goTo(open.page, page);
  const expected = view(name);
  const shown = await readTables(open.page);
  expect(shown).toHaveLength(tables.length);
  shown.forEach((table, index) =>
    expect(expectNumbers(table, tables[index](expected.rows), whole?.(expected.rows) ?? expected)).toBeGreaterThan(0),
  );
});

test("the overview says what to take away, and its totals are the views'", async () => {
  await goTo(open.page, '#/overview');
  const { totals } = view('data-profile');
  expect(await open.page.locator('.takeaway .sentence').textContent()).toMatch(
    /^struct \w+ costs .* estimated cycles, (most|the largest part) of it by L2 (true|false) sharing misses/,
  );
  for (const tile of await open.page.locator('[data-path]').all()) {
    const value = (await tile.getAttribute('data-path'))!
      .split('.')
      .slice(1)
      .reduce((at: any, key) => at[key], totals);
    expect(await tile.textContent()).toBe(value.toLocaleString('en-US'));
  }
});

test("the typing ledger is the views'", async () => {
  await goTo(open.page, '#/about');
  const { typing } = view('data-profile');
  const cells = await open.page.locator('td[data-path]').all();
  expect(cells).toHaveLength(28);
  for (const cell of cells) {
    const value = (await cell.getAttribute('data-path'))!
      .split('.')
      .slice(1)
      .reduce((at: any, key) => at[key], typing);
    expect(await cell.textContent()).toBe(value.toLocaleString('en-US'));
  }
});

test('the source shows each line with its numbers', async () => {
  await goTo(open.page, '#/source');
  const expected = JSON.parse(dprof('annotate', profile, '--source-path', ROOT, '--format', 'json').stdout);
  expectNumbers((await readTables(open.page))[0], expected.files, expected);
  await open.page.locator('main a', { hasText: 'producer-consumer.c' }).click();
  await open.page.locator('td code').first().waitFor();
  const [table] = await readTables(open.page);
  expectNumbers(
    table,
    expected.rows.filter(({ file }: { file: string }) => file.endsWith('producer-consumer.c')),
    expected,
  );
  expect(table.drawn.some(({ cells }) => cells[5].includes('->'))).toBe(true);
});

test('a box of the data flow leads to its line in the source', async () => {
  await goTo(open.page, '#/data-flow?type=struct+message');
  const { nodes, edges } = ofMessage(view('data-flow').rows);
  const shown = Math.min(80, nodes.length);
  expect(await open.page.locator('svg.flow .node').count()).toBe(shown);
  expect(await open.page.locator('svg.flow .edge.core').count()).toBe(
    edges.filter(({ coreChanges }: { coreChanges: number }) => coreChanges > 0).length,
  );
  const box = open.page.locator('svg.flow a.node', { hasText: 'produce' }).first();
  await box.focus();
  await open.page.keyboard.press('Enter');
  await open.page.locator('tr.asked code').waitFor();
  const { file, line } = nodes.find((node: { function: string }) => node.function === 'produce');
  const lines = JSON.parse(dprof('annotate', profile, '--source-path', ROOT, '--format', 'json').stdout).rows.filter(
    (row: { file: string }) => row.file === file,
  );
  expect(await open.page.locator('tr.asked th').textContent()).toBe(
    String(lines.find((row: { line: number }) => row.line >= line).line),
  );
});

test('struct layout: a block for each member, where it lies', async () => {
  await goTo(open.page, '#/struct-layout?type=struct+message');
  const blocks = await open.page.locator('.bytes .unseen').allTextContents();
  const members = ofMessage(view('struct-layout').rows).rows.filter(({ row }: { row: string }) => row === 'member');
  expect(blocks).toEqual(
    members.map(
      ({ name, elements, sizeBytes, offsetBytes, missLatencyCycles, cores }: any) =>
        `${name}${elements === undefined ? '' : '[]'}, ${sizeBytes} bytes at ${offsetBytes}: ` +
        `${missLatencyCycles.toLocaleString('en-US')} estimated cycles, ` +
        (cores.length === 0
          ? 'never referenced'
          : `cores ${cores.map(({ core }: { core: number }) => core).join(', ')}`),
    ),
  );
});

test('a heading sorts, by mouse and by keyboard, and says so', async () => {
  await goTo(open.page, '#/data-profile');
  const column = 'misses.l1.loads+misses.l1.stores';
  const button = open.page.locator(`th[data-column="${column}"] button`);
  const misses = async (): Promise<number[]> => {
    const [table] = await readTables(open.page);
    return table.drawn.map(({ cells }) =>
      Number(cells[table.columns.findIndex(({ id }) => id === column)].replaceAll(',', '')),
    );
  };
  const sorting = async (): Promise<string | null | undefined> =>
    (await readTables(open.page))[0].columns.find(({ id }) => id === column)?.sort;
  await button.click();
  expect(await misses()).toEqual((await misses()).toSorted((a, b) => b - a));
  expect(await sorting()).toBe('descending');
  await button.focus();
  await open.page.keyboard.press('Enter');
  expect(await misses()).toEqual((await misses()).toSorted((a, b) => a - b));
  expect(await sorting()).toBe('ascending');
});

test('words and sites of the data profile are whole', async () => {
  await goTo(open.page, '#/data-profile');
  const cut = await open.page.evaluate(`['costliest', 'mostMissesAt.site'].flatMap((id) => {
    const place = [...document.querySelectorAll('.scroller th')].findIndex(({ dataset }) => dataset.column === id);
    const cells = [...document.querySelectorAll('.scroller tbody tr[data-row]')].map(({ cells }) => cells[place]);
    return cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent);
  })`);
  expect(cut).toEqual([]);
});

test('a search keeps the rows that have the words', async () => {
  await goTo(open.page, '#/data-profile');
  await open.page.getByLabel('search types').fill('STRUCT');
  await open.page.locator('.count', { hasText: ' of ' }).waitFor();
  const [table] = await readTables(open.page);
  expect(table.drawn.map(({ cells }) => cells[0])).toEqual(
    view('data-profile')
      .rows.map(({ type }: { type: string }) => type)
      .filter((type: string) => type.includes('struct')),
  );
});

test('every page is reached by keyboard alone, each with its one heading; at 1280 pixels its tables fit', async () => {
  await open.page.setViewportSize({ width: 1280, height: 800 });
  await goTo(open.page, '#/overview');
  await open.page.reload();
  await settled(open.page);
  const links = await open.page.locator('nav a').count();
  expect(links).toBeGreaterThan(12);
  let tables = 0;
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
    await settled(open.page);
    expect(await open.page.locator('h1').count()).toBe(1);
    expect(await target.getAttribute('aria-current')).toBe('page');
    expect(await open.page.title()).toContain(name);
    for (const chart of await open.page.locator('figure svg').all())
      expect(await chart.getAttribute('aria-label')).toMatch(/\.$/);
    expect(await touchingTexts(open.page)).toEqual([]);
    tables += await countFitting();
    await photograph(open.page, `light-${(await target.getAttribute('href'))!.slice(2)}`);
  }
  expect(tables).toBeGreaterThan(10);
  await open.page.setViewportSize({ width: 1360, height: 900 });
});

test('dark where the system is dark, until the switch says otherwise', async () => {
  const { page, incidents } = await openReport(browser, report, 'dark');
  const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await ground();
  for (const [at, link] of (await page.locator('nav a').all()).entries()) {
    if (at % 4 > 0 && !IS_AT_LENGTH) continue;
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
  for (const hash of ['#/miss-classes', '#/working-set', '#/sets', '#/invalidations']) {
    await goTo(open.page, hash);
    expect(await touchingTexts(open.page)).toEqual([]);
  }
  await open.page.setViewportSize({ width: 1360, height: 900 });
});

test('nothing was asked of a network, and the console stayed silent', () => {
  expect(open.incidents).toEqual([]);
  expect(statSync(report).size).toBeLessThan(5_000_000);
});

/** Of each table: its caption, how far it is wider than its place, and the headings in sight. */
function inSight(): Promise<{ caption: string; excess: number; headings: string[] }[]> {
  return open.page.evaluate(`[...document.querySelectorAll('.scroller')].map((box) => ({
    caption: box.getAttribute('aria-label'),
    excess: box.scrollWidth - box.clientWidth,
    headings: [...box.querySelectorAll('thead th')].filter((cell) => {
      const [own, whole] = [cell.getBoundingClientRect(), box.getBoundingClientRect()];
      return own.width > 0 && own.left >= whole.left && own.right <= whole.right + 1;
    }).map((cell) => cell.textContent),
  }))`);
}

/** How many tables the page has, each of which must fit. */
async function countFitting(): Promise<number> {
  const tables = await inSight();
  for (const { caption, excess, headings } of tables) {
    expect([open.page.url(), caption, excess]).toEqual([open.page.url(), caption, 0]);
    expect(headings.length).toBeGreaterThan(1);
  }
  return tables.length;
}

test('at 1280 pixels tables show what belongs together', async () => {
  await open.page.setViewportSize({ width: 1280, height: 800 });
  const classes = ['compulsory', 'true sharing', 'false sharing', 'conflict', 'capacity'];
  for (const rows of ['types', 'fields', 'both']) {
    await goTo(open.page, `#/miss-classes?rows=${rows}`);
    expect(await countFitting()).toBe(1);
    expect((await inSight())[0].headings).toEqual(expect.arrayContaining(['L2 misses', ...classes]));
  }
  await goTo(open.page, '#/struct-layout?type=struct+message');
  expect((await inSight())[0].headings).toEqual(expect.arrayContaining(['L1 misses', 'L2 misses', ...classes]));
  await goTo(open.page, '#/sharing');
  expect((await inSight())[0].headings).toEqual(
    expect.arrayContaining([
      'missed: type',
      'missed: field',
      'missed at',
      'stored: type',
      'stored: field',
      'stored at',
    ]),
  );
});

test('columns that are folded away are a button away', async () => {
  await open.page.setViewportSize({ width: 1280, height: 800 });
  await goTo(open.page, '#/miss-classes');
  const fewer = (await inSight())[0].headings;
  expect(fewer).not.toContain('dprof: conflict');
  await open.page.locator('.table-controls button', { hasText: /^all \d+ columns$/ }).click();
  const [{ excess }] = await inSight();
  expect(excess).toBeGreaterThan(0);
  const visible = await open.page.locator('.scroller thead th:visible').allTextContents();
  expect(visible).toEqual(
    expect.arrayContaining([...fewer, 'dprof: invalidation', 'dprof: conflict', 'dprof: capacity']),
  );
  await open.page.locator('.table-controls button', { hasText: 'as many columns as fit' }).click();
  expect((await inSight())[0]).toMatchObject({ excess: 0, headings: fewer });
  await open.page.setViewportSize({ width: 1360, height: 900 });
});
