// Stage: test. Debian's Chromium with a report in it, opened from disk: what the page says, and whatever it should not
// have done.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { IS_AT_LENGTH } from '../at-length.js';

const CHROMIUM = '/usr/bin/chromium';

export async function startChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is not there: run 'npm run setup', which installs it`);
  return chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

export interface OpenReport {
  readonly page: Page;
  /** Console messages, errors, and requests for anything but the file. */
  readonly incidents: string[];
}

export async function openReport(
  browser: Browser,
  file: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<OpenReport> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, colorScheme });
  const incidents: string[] = [];
  page.on('console', (message) => incidents.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => incidents.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) incidents.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('main[aria-busy="false"]');
  return { page, incidents };
}

/** Shows another page of the report, as its address is typed. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(
    `document.querySelector('main').setAttribute('aria-busy', 'true'); location.hash === ` +
      `${JSON.stringify(hash)} ? dispatchEvent(new HashChangeEvent('hashchange')) : location.hash = ` +
      `${JSON.stringify(hash)}`,
  );
  await settled(page);
}

/** The page is drawn, its charts included. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main[aria-busy="false"]');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

export interface ReadTable {
  readonly caption: string;
  /** How many rows it says it has. */
  readonly rows: number;
  readonly columns: readonly { readonly id: string; readonly unit: string; readonly sort: string | null }[];
  /** Those in sight. */
  readonly drawn: readonly { readonly row: number; readonly cells: readonly string[] }[];
}

export function readTables(page: Page): Promise<ReadTable[]> {
  return page.evaluate(`[...document.querySelectorAll('.scroller table')].map((table) => ({
    caption: table.caption.textContent,
    rows: Number(table.getAttribute('aria-rowcount')) - 1,
    columns: [...table.tHead.rows[0].cells].map((cell) => ({ id: cell.dataset.column, unit: cell.dataset.unit, sort: cell.getAttribute('aria-sort') })),
    drawn: [...table.tBodies[0].rows].filter((row) => row.dataset.row !== undefined).map((row) => ({ row: Number(row.dataset.row), cells: [...row.cells].map((cell) => cell.textContent) })),
  }))`);
}

/** Texts of one chart that stand so close that they read as one. */
export function touchingTexts(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('figure .chart svg')].flatMap((chart) => {
    const texts = [...chart.querySelectorAll('text')].filter(({ textContent }) => textContent !== '');
    const boxes = texts.map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }));
    const apart = (a, b) => Math.max(b.left - a.right, a.left - b.right);
    const below = (a, b) => Math.max(b.top - a.bottom, a.top - b.bottom);
    return boxes.flatMap((one, at) => boxes.slice(at + 1)
      .filter(({ box }) => apart(one.box, box) < 3 && below(one.box, box) < -2)
      .map(({ words }) => chart.getAttribute('aria-label').split('.')[0] + ': "' + one.words + '" touches "' + words + '"'));
  })`);
}

/** For people to look at; kept. Drawing all of a page takes longer than most tests of it. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (!IS_AT_LENGTH) return;
  const folder = join(tmpdir(), 'dprof-html-photographs');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
