// Stage: test. A resampling -> the plots of docs/how-many-samples.md: the HTML page's own charts, taken out of it in
// Chromium, as SVG that needs no page.

import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { renderResamplingPage } from '../../src/hardware/report/validation-pages.js';
import type { Resampling } from '../../src/hardware/validate/resample.js';

/** By the end of the file's name: where in the page it is, behind the #. */
export const CHARTS: Readonly<Record<string, string>> = {
  samplers: '/overview?of=references',
  even: '/errors?of=references&sampler=even',
  hardware: '/errors?of=references&sampler=hardware',
  misses: '/errors?of=misses&sampler=cacheperf',
  shares: '/shares?of=references',
};

const LEGEND_PIXELS = 18;
const MARGIN_PIXELS = 6;
const CHARACTER_PIXELS = 6.8;
const SWATCH_PIXELS = 34;

interface Taken {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly legend: readonly { readonly name: string; readonly colour: string }[];
  /** The values of the page's named colours. */
  readonly colours: Readonly<Record<string, string>>;
}

const TAKE = `(() => {
  const figure = document.querySelector('main figure');
  const shown = figure.querySelector('svg');
  const names = [...new Set([...figure.innerHTML.matchAll(/var\\((--[a-z0-9-]+)\\)/g)].map(([, name]) => name))];
  const style = getComputedStyle(document.documentElement);
  const svg = shown.cloneNode(true);
  for (const part of svg.querySelectorAll('style, title')) part.remove();
  return {
    svg: new XMLSerializer().serializeToString(svg),
    width: Number(shown.getAttribute('width')), height: Number(shown.getAttribute('height')),
    legend: [...figure.querySelectorAll('.legend li')].map((item) => ({ name: item.textContent, colour: item.querySelector('.swatch').style.background })),
    colours: Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()])),
  };
})()`;

/** By the end of the file's name. `folder`: for the page. */
export async function renderPlots(
  browser: Browser,
  folder: string,
  data: Resampling,
): Promise<ReadonlyMap<string, string>> {
  const file = resolve(folder, 'plots.html');
  writeFileSync(file, renderResamplingPage(data));
  const page = await browser.newPage({ viewport: { width: 1080, height: 900 }, colorScheme: 'light' });
  const plots = new Map<string, string>();
  try {
    for (const [name, address] of Object.entries(CHARTS)) {
      await page.goto('about:blank');
      await page.goto(`${pathToFileURL(file).href}#${address}`);
      await page.waitForSelector('main[aria-busy="false"] figure svg');
      plots.set(name, toPicture((await page.evaluate(TAKE)) as Taken));
    }
  } finally {
    await page.close();
  }
  return plots;
}

export function writePlots(folder: string, program: string, plots: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of plots) writeFileSync(resolve(folder, `${program}-${name}.svg`), svg);
}

/** The legend, in as many lines as it takes, above the chart; on white, whatever is around it. */
function toPicture({ svg, width, height, legend, colours }: Taken): string {
  const resolved = (text: string): string => text.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => colours[name]);
  let [x, row] = [MARGIN_PIXELS, 0];
  const entries = legend.map(({ name, colour }) => {
    const pixels = name.length * CHARACTER_PIXELS + SWATCH_PIXELS;
    if (x + pixels > width && x > MARGIN_PIXELS) [x, row] = [MARGIN_PIXELS, row + 1];
    const y = MARGIN_PIXELS + row * LEGEND_PIXELS;
    const entry =
      `<rect x="${x}" y="${y}" width="10" height="10" rx="2" fill="${resolved(colour)}"/><text x="${x + 15}" y="` +
      `${y + 9}">${escapeText(name)}</text>`;
    x = Math.round(x + pixels);
    return entry;
  });
  const top = MARGIN_PIXELS + (row + 1) * LEGEND_PIXELS;
  const whole = top + height + MARGIN_PIXELS;
  const chart = resolved(svg)
    .replace(/^<svg /, `<svg y="${top}" overflow="visible" `)
    .replace(/font-size="10"/, 'font-size="12"');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}` +
      '" font-family="system-ui, sans-serif" font-size="12" color="#1b1f27" fill="#1b1f27">',
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...entries,
    // A mark a line, so that a change is seen where it is.
    chart.replaceAll('><', '>\n<'),
    '</svg>',
    '',
  ].join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
