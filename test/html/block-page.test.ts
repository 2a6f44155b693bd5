// Stage: test. The page of hot blocks, from made-up rows of their view: a point and a row for each, and of a chosen one
// its assembly.

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlockPart, BlockRow } from '../../src/views/blocks.js';
import type { View } from '../../src/views/view.js';
import { makeFolder } from '../cli/command-line.js';
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
import { smallViews, writeReport, type AnyRow } from './small-views.js';

const folder = makeFolder();
let browser: Browser;
let open: OpenReport;

const NONE = { l1: 0, l2: 0, llc: 0 };

function part(offset: string, executions: number, computeCycles: number, waitCycles: number): BlockPart {
  return {
    site: `list.c:${Number(offset)}`,
    address: `0x10${offset.slice(2)}`,
    offset,
    code: '4801d8eb00',
    assembly: ['addq %rbx, %rax', 'jmp 0'],
    stretches: ['4801d8'],
    executions,
    executionsAtMost: executions,
    instructions: 2,
    computeCycles,
    measuredCycles: computeCycles,
    predictedCycles: null,
    pricedBy: 'measured',
    misses: NONE,
    missCycles: NONE,
    waitCycles,
    type: null,
    bound: waitCycles > computeCycles ? 'latency' : 'compute',
    isLoop: false,
    cycles: executions * (computeCycles + waitCycles),
  };
}

function row(name: string, own: BlockPart, parts: readonly BlockPart[] = []): BlockRow {
  return { ...own, function: name, symbol: name, module: '/bin/list', blocks: Math.max(1, parts.length), parts };
}

const rows: readonly BlockRow[] = [
  row('walk', part('0x10', 1000, 2, 30)),
  row('add<1 & 2>', { ...part('0x20', 500, 20, 0), isLoop: true, stretches: [] }, [
    part('0x20', 500, 12, 0),
    part('0x30', 250, 16, 0),
  ]),
  row('rarely', part('0x40', 10, 0.5, 0.25)),
];
const cycles = { compute: 1000 * 2 + 500 * 20 + 5, wait: 1000 * 30 + 2.5 };
const code = {
  instructions: 3500,
  uncountedInstructions: 0,
  blocks: 4,
  uncountedBlocks: 0,
  functions: 3,
  countedRecorded: 10,
  recorded: 10,
  unread: [],
};

beforeAll(async () => {
  const small = smallViews(folder);
  const { rows: _, ...envelope } = small.get('sharing')!;
  const views = new Map([...small, ['blocks', { ...envelope, rows, cycles, code } as View<AnyRow>]]);
  browser = await startChromium();
  open = await openReport(browser, writeReport(join(folder, 'blocks.html'), views));
  const without = await openReport(browser, writeReport(join(folder, 'without.html'), small));
  expect(await without.page.locator('nav').innerText()).not.toContain('Machine code');
  await without.page.close();
});

afterAll(() => browser?.close());

test('the table says where the time goes', async () => {
  await goTo(open.page, '#/blocks');
  const [table] = await readTables(open.page);
  expect(table.columns.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['site', 'function', 'cycles/all', 'bound', 'blocks', 'computeCycles', 'waitCycles']),
  );
  expect(table.drawn.map(({ cells }) => cells.slice(0, 5))).toEqual([
    ['list.c:16', 'walk', '76.2%', 'latency', '1'],
    ['list.c:32', 'add<1 & 2>', '23.8%', 'compute', '2'],
    ['list.c:64', 'rarely', '<0.1%', 'compute', '1'],
  ]);
  expect(await open.page.locator('.lead').textContent()).toBe(
    'Where the time goes: about 42,008 cycles for 3,500 instructions: 28.6% computing, 71.4% waiting for misses.',
  );
  expect(await touchingTexts(open.page)).toEqual([]);
  await photograph(open.page, 'blocks');
});

/** Of each point: what the pointer is told, how far it is above the diagonal, and its radius. */
const POINTS = `(() => {
  const [from, to] = (() => {
    const path = document.querySelector('figure path[stroke-dasharray], figure g[stroke-dasharray] path');
    const length = path.getTotalLength();
    return [path.getPointAtLength(0), path.getPointAtLength(length)];
  })();
  const diagonal = (x) => from.y + ((x - from.x) * (to.y - from.y)) / (to.x - from.x);
  return [...document.querySelectorAll('figure circle')].map((point) => ({
    title: point.querySelector('title').textContent.split('\\n'),
    above: diagonal(point.cx.baseVal.value) - point.cy.baseVal.value,
    radius: point.r.baseVal.value,
  }));
})()`;

test('a point for each, above the diagonal if it waits longer than it computes, as large as its time', async () => {
  await goTo(open.page, '#/blocks');
  const points: { title: string[]; above: number; radius: number }[] = await open.page.evaluate(POINTS);
  expect(points.map(({ title }) => title)).toEqual([
    [
      'walk, list.c:16',
      '76.2% of the time. latency: it waits for its misses longer than it computes',
      'computes 2.0 cycles, waits 30.0',
    ],
    [
      'add<1 & 2>, list.c:32',
      '23.8% of the time. compute: its instructions keep the processor busy',
      'computes 20.0 cycles, waits 0.0',
    ],
    [
      'rarely, list.c:64',
      '<0.1% of the time. compute: its instructions keep the processor busy',
      'computes 0.5 cycles, waits 0.3',
    ],
  ]);
  expect(points.map(({ above }) => above > 0)).toEqual([true, false, false]);
  const [most, second, least] = points.map(({ radius }) => radius);
  expect((second / most) ** 2).toBeCloseTo(10_000 / 32_000, 5);
  expect(least).toBeLessThan(second);
});

test('of a chosen loop, the assembly of each of its blocks and the command that runs it', async () => {
  await goTo(open.page, '#/blocks');
  await open.page.locator('td a', { hasText: 'add<1 & 2>' }).click();
  await open.page.locator('h2', { hasText: 'The loop of 2 blocks at list.c:32 in add<1 & 2>' }).waitFor();
  await settled(open.page);
  expect(await open.page.locator('main pre').allTextContents()).toEqual([
    'addq %rbx, %rax\njmp 0',
    'addq %rbx, %rax\njmp 0',
  ]);
  expect(await open.page.locator('.command code').allTextContents()).toEqual([
    'dprof block --hex 4801d8',
    'dprof block --hex 4801d8',
  ]);
  expect(await open.page.locator('main').innerText()).toContain('250 times: 16.0 cycles computing and 0.0 waiting');
  await photograph(open.page, 'blocks-loop');
  expect(open.incidents).toEqual([]);
});
