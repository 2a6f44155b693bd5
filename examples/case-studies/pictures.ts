// Stage: case studies. `npm run case-studies -- --pictures`: photographs charts of the studies' HTML reports, in
// Debian's Chromium, into their folders.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { placeOf, SOURCES, type Study } from './studies.js';

interface Picture {
  readonly study: Study;
  readonly trace: 'before' | 'after';
  /** Of the report: behind the #, as links in it spell it. */
  readonly address: string;
  /** Of the figures on that page. */
  readonly figure: number;
  readonly file: string;
}

const PICTURES: readonly Picture[] = [
  { study: 'aligned-buffers', trace: 'before', address: '/sets', figure: 0, file: 'sets-before.png' },
  { study: 'aligned-buffers', trace: 'after', address: '/sets', figure: 0, file: 'sets-after.png' },
  {
    study: 'accept-queue',
    trace: 'before',
    address: '/working-set?type=struct+tcp_sock',
    figure: 0,
    file: 'timeline-before.png',
  },
  {
    study: 'accept-queue',
    trace: 'after',
    address: '/working-set?type=struct+tcp_sock',
    figure: 0,
    file: 'timeline-after.png',
  },
];

/** Of traces that are there already. */
export async function takePictures(out: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    for (const { study, trace, address, figure, file } of PICTURES) {
      const { folder, bin } = placeOf(study, out);
      const report = join(folder, `${trace}.html`);
      execFileSync(join(bin, 'dprof'), ['html', join(folder, `${trace}.dptrace`), '-o', report], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const page = await browser.newPage({ viewport: { width: 1000, height: 900 }, colorScheme: 'light' });
      await page.goto(`${pathToFileURL(report).href}#${address}`);
      await page.waitForSelector('main[aria-busy="false"] figure');
      await page
        .locator('main figure')
        .nth(figure)
        .screenshot({ path: join(SOURCES, study, file) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
}
