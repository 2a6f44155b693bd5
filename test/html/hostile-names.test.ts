// Stage: test. A program whose types, fields, variables, functions, files and arguments are named to do harm: the
// report shows them as text, and nothing of them runs.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventCode, MarkKind, Sync } from '../../src/trace/layout.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { dprof, makeFolder, saveTrace } from '../cli/command-line.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { goTo, openReport, photograph, settled, startChromium } from './browser.js';
import { drawAdvice } from './drawn-advice.js';

const folder = makeFolder();
const report = join(folder, 'hostile.html');
let browser: Browser;

const NAMES = {
  type: 'struct </script><script>document.title="struck"</script>',
  left: '<img src=x onerror="document.title=\'struck\'">',
  right: '\u202e"\'><b onclick=alert(1)>&amp;&#60;\u2066',
  variable: 'javascript:alert(1)',
  function: 'operator<<\n<svg/onload=alert(1)>\u0000',
  writer: '${alert(1)}`{{7*7}}%3Cscript%3E',
  file: '/src/<iframe src="javascript:alert(1)">/"a b\'.c',
};

const ADVISED = {
  command: `program ${NAMES.left} ${NAMES.right}`,
  trace: `${NAMES.left}.dptrace`,
  machine: NAMES.right,
  type: NAMES.type,
  left: NAMES.left,
  right: NAMES.right,
  array: NAMES.variable,
  writer: NAMES.writer,
  file: NAMES.file,
};

/** As test/cli/command-line.ts draws a pair of counters: two threads, one line, two fields. */
function writeHostileTrace(times = 10): Uint8Array {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const pair = unit.type('struct', NAMES.type, 16, {
    members: [
      { name: NAMES.left, type: long, offset: 0 },
      { name: NAMES.right, type: long, offset: 8 },
    ],
  });
  const variable = unit.variable('global', NAMES.variable, pair, 16);
  const functions = [unit.function(NAMES.function), unit.function(NAMES.writer)];
  const paths = [NAMES.left, NAMES.right].map((path, side) =>
    unit.alone(
      'segment',
      [
        {
          ...unit.slot('store', {
            type: pair,
            path,
            offset: 8 * side,
            variable,
            function: functions[side],
            line: 10 + side,
          }),
          file: NAMES.file,
        },
      ],
      { instructions: 4, function: functions[side] },
    ),
  );
  const writer = new TraceWriter({
    process: {
      command: ['./program', NAMES.left, NAMES.right],
      executable: '/tmp/program',
      cpus: 2,
      randomised: false,
    },
  });
  writer.module('/tmp/program', [writeUnit(unit.unit)], [{ address: 0x4000n, unit: 0, variable }]);
  writer.events(0, [
    { code: EventCode.release, detail: Sync.threadCreate, stamp: 1n, address: 1n },
    { code: EventCode.mark, detail: MarkKind.phase, stamp: 3n, number: 0n, text: NAMES.left },
    ...Array.from({ length: times }, () => ({ path: paths[0], words: [0x4000n] })),
  ]);
  writer.events(1, [
    { code: EventCode.threadStart, stamp: 2n, creator: 0, address: 0x9000n, size: 0x1000n },
    ...Array.from({ length: times }, () => ({ path: paths[1], words: [0x4008n] })),
  ]);
  return writer.finish();
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

beforeAll(async () => {
  const trace = saveTrace(folder, 'hostile.dptrace', writeHostileTrace());
  const advice = join(folder, 'advice.json');
  writeFileSync(advice, JSON.stringify(drawAdvice(ADVISED)));
  expect(dprof('html', trace, '--advice', advice, '-o', report, '--engine', 'ts')).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
  browser = await startChromium();
});

afterAll(() => browser?.close());

test('no name is in the file as it is spelled', () => {
  const page = readFileSync(report, 'utf8');
  for (const name of Object.values(NAMES)) expect(page).not.toContain(name);
});

test('every page shows names as text, and nothing runs', async () => {
  const { page, incidents } = await openReport(browser, report);
  const seen = new Set<string>();
  const links: string[] = await page.evaluate(
    "[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))",
  );
  const type = encodeURIComponent(NAMES.type);
  for (const hash of [
    ...links,
    `#/struct-layout?type=${type}`,
    `#/data-flow?type=${type}`,
    `#/path-traces?type=${type}`,
    `#/sets?type=${type}`,
    `#/source?file=${encodeURIComponent(NAMES.file)}&line=10`,
  ]) {
    await goTo(page, hash);
    await settled(page);
    expect(
      await page
        .locator('main img, main iframe, main script, main b, main svg svg, main [onclick], main [onload]')
        .count(),
    ).toBe(0);
    seen.add(await page.locator('body').innerText());
    await photograph(page, `hostile-${hash.slice(2).replace(/\?.*/, '')}`);
  }
  expect(await page.title()).not.toContain('struck"');
  const all = [...seen].join('\n');
  expect(all).toContain('struct </script><script>document.title="struck"</script>');
  expect(all).toContain('<img src=x onerror="document.title=\'struck\'">');
  expect(all).toContain('\\u{202e}"\'><b onclick=alert(1)>&amp;&#60;\\u{2066}');
  expect(all).toContain('operator<<\\n<svg/onload=alert(1)>');
  expect(all).toContain('${alert(1)}`{{7*7}}%3Cscript%3E');
  expect(all).toContain('"a b\'.c');
  expect(incidents).toEqual([]);
  await page.close();
});

test('a command of advice is one word for each name, for a shell too', async () => {
  const { page, incidents } = await openReport(browser, report);
  expect(await page.locator('h1').textContent()).toBe('Advice');
  expect(await page.locator('.command code').allTextContents()).toEqual([
    `dprof what-if ${quote(ADVISED.trace)} --align ${quote(`${NAMES.type}=64`)}`,
    `dprof what-if ${quote(ADVISED.trace)} --pad-rows ${quote(`${NAMES.variable}/4096=+64`)}`,
    `dprof what-if ${quote(ADVISED.trace)} --align ${quote(`${NAMES.type}=64`)} ` +
      `--pad-rows ${quote(`${NAMES.variable}/4096=+64`)}`,
  ]);
  expect(await page.locator('figure svg').first().getAttribute('aria-label')).toContain(NAMES.type);
  expect(incidents).toEqual([]);
  await page.close();
});

test('nor does anything of a comparison, per a mark that is named so', async () => {
  const traces = [10, 30].map((times) => saveTrace(folder, `${times}<b>.dptrace`, writeHostileTrace(times)));
  const comparison = join(folder, 'comparison.html');
  expect(
    dprof('diff', ...traces, '--per', `mark:${NAMES.left}`, '--engine', 'ts', '--format', 'html', '-o', comparison),
  ).toEqual({ status: 0, stdout: '', stderr: '' });
  for (const name of Object.values(NAMES)) expect(readFileSync(comparison, 'utf8')).not.toContain(name);
  const { page, incidents } = await openReport(browser, comparison);
  const seen: string[] = [];
  for (const hash of [
    '#/overview',
    '#/runs',
    '#/types',
    `#/fields?type=${encodeURIComponent(NAMES.type)}`,
    '#/miss-classes',
    '#/objects',
    `#/paths?which=all&type=${encodeURIComponent(NAMES.type)}`,
  ]) {
    await goTo(page, hash);
    expect(
      await page
        .locator('main img, main iframe, main script, main b, main svg svg, main [onclick], main [onload]')
        .count(),
    ).toBe(0);
    seen.push(await page.locator('body').innerText());
    await photograph(page, `hostile-comparison-${hash.slice(2).replace(/\?.*/, '')}`);
  }
  expect(await page.title()).toBe('Paths - 10<b>.dptrace → 30<b>.dptrace - dprof');
  const all = seen.join('\n');
  expect(all).toContain(`${NAMES.type} changed most: its estimated cycles per ${NAMES.left} went from`);
  expect(all).toContain('\\u{202e}"\'><b onclick=alert(1)>&amp;&#60;\\u{2066}');
  expect(all).toContain('operator<<\\n<svg/onload=alert(1)>');
  expect(incidents).toEqual([]);
  await page.close();
});

test('the policy lets nothing else run: a script that gets into the page is stopped', async () => {
  const { page, incidents } = await openReport(browser, report);
  await page.evaluate(
    "{ const script = document.createElement('script'); script.textContent = 'document.title = \"struck" +
      "\"'; document.body.append(script); const image = document.createElement('img'); image.src = " +
      "'https://example.invalid/x'; document.body.append(image); }",
  );
  await page.locator('main').waitFor();
  expect(await page.title()).not.toBe('struck');
  expect(
    incidents.filter((incident) => incident.startsWith('error: ') && incident.includes('Content Security Policy')),
  ).toHaveLength(2);
  await page.close();
});
