// Stage: bench. What models predict against what was measured -> plots, by Observable Plot in Chromium, as SVG.
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { startChromium } from '../test/html/browser.js';
import { CATEGORIES, categoryOf } from './block-categories.js';
import type { Pair } from './model-errors.js';

interface Point {
  readonly model: string;
  readonly category: string;
  readonly measured: number;
  readonly predicted: number;
}

const LEAST = 0.1; // cycles; both axes begin there
const MOST = 300;

/** Runs in the page: `points` and Plot are there. */
const DRAW = `
import * as Plot from '@observablehq/plot';
const style = 'background: white; font-family: sans-serif; font-size: 12px';
const both = (label) => ({ type: 'log', domain: [${LEAST}, ${MOST}], label, clamp: true, ticks: [0.1, 1, 10, 100], tickFormat: String });
globalThis.draw = (points, models, categories) => ({
  predicted: Plot.plot({
    width: 900, height: 480, style, marginRight: 20, color: { range: ['#b5d0ea', '#08306b'], type: 'log' },
    x: both('measured, cycles an execution'), y: both('predicted'), fx: { label: null, domain: models }, grid: true,
    marks: [
      Plot.dot(points, Plot.hexbin({ fill: 'count' }, { x: 'measured', y: 'predicted', fx: 'model', binWidth: 7, r: 3.6, symbol: 'hexagon' })),
      Plot.line([[${LEAST}, ${LEAST}], [${MOST}, ${MOST}]], { stroke: '#c00', strokeDasharray: '4 3' }),
    ],
  }).outerHTML,
  errors: Plot.plot({
    width: 900, height: 260, style, marginLeft: 150, marginRight: 20,
    x: { type: 'log', domain: [0.25, 4], label: 'predicted : measured', clamp: true, ticks: [0.25, 0.5, 1, 2, 4], tickFormat: String },
    y: { domain: categories, label: null }, fx: { label: null, domain: models }, grid: true,
    marks: [
      Plot.ruleX([1], { stroke: '#c00', strokeDasharray: '4 3' }),
      Plot.ruleY(points, Plot.groupY({ x1: 'p10', x2: 'p90' }, { y: 'category', fx: 'model', x: (p) => p.predicted / p.measured, stroke: '#369' })),
      Plot.ruleY(points, Plot.groupY({ x1: 'p25', x2: 'p75' }, { y: 'category', fx: 'model', x: (p) => p.predicted / p.measured, stroke: '#369', strokeWidth: 9 })),
      Plot.dot(points, Plot.groupY({ x: 'median' }, { y: 'category', fx: 'model', x: (p) => p.predicted / p.measured, fill: 'white', stroke: '#036', r: 4 })),
    ],
  }).outerHTML,
});`;

/** Writes FOLDER/blocks-predicted.svg, every block as a place, and FOLDER/blocks-errors.svg, by category. */
export async function writeModelPlots(folder: string, models: ReadonlyMap<string, readonly Pair[]>): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: DRAW, resolveDir: process.cwd(), loader: 'js' },
    bundle: true,
    format: 'iife',
    write: false,
  });
  const points = [...models].flatMap(([model, pairs]) =>
    pairs.map(
      ({ answer, measured, predicted }): Point => ({
        model,
        category: categoryOf(answer.assembly),
        measured,
        predicted,
      }),
    ),
  );
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: outputFiles[0].text });
    const made = (await page.evaluate(
      `draw(${[points, [...models.keys()], CATEGORIES].map((data) => JSON.stringify(data)).join(', ')})`,
    )) as Record<string, string>;
    for (const [name, svg] of Object.entries(made)) writeFileSync(`${folder}/blocks-${name}.svg`, `${svg}\n`);
  } finally {
    await browser.close();
  }
}
