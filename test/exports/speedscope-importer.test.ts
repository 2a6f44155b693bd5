// Stage: test. speedscope itself, in Chromium, as its own command opens a file: what it lists is the view's, and names
// stay text.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join as joinPath } from 'node:path';
import { expect, test } from 'vitest';
import { MEASURES } from '../../src/exports/samples.js';
import { writeSpeedscope } from '../../src/exports/speedscope.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { makeFolder } from '../cli/command-line.js';
import { join, PROFILES } from './hostile-profile.js';

const folder = makeFolder();
const page = createRequire(import.meta.url).resolve('speedscope/dist/release/index.html');

/** The document when the file is loaded. */
function open(name: string, file: Buffer): string {
  const loader = joinPath(folder, 'load.js');
  writeFileSync(
    loader,
    `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(file.toString('base64'))})`,
  );
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    `--user-data-dir=${joinPath(folder, 'chromium')}`,
    '--allow-file-access-from-files',
    '--virtual-time-budget=20000',
    '--dump-dom',
  ];
  return execFileSync('chromium', [...flags, `file://${page}#localProfilePath=${loader}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
}

test.each(PROFILES)('%s: a profile for each measure, as heavy as the view says', (_, profile) => {
  const document = open('run.speedscope.json', join(writeSpeedscope(profile, {})));
  const listed = [...document.matchAll(/<tr title="([^"]*)"[^>]*>.*?<td[^>]*>([\d,]+)<\/td><\/tr>/g)].map(
    ([, title, weight]) => [title, Number(weight.replaceAll(',', ''))],
  );
  const { totals } = buildMissClassification(profile);
  const weights = [
    totals.references,
    ...LEVELS.map((level) => totals.levels[level].misses),
    ...CLASSES.map((name) => totals.levels.l1.classes[name]),
    totals.latencyCycles,
    totals.missLatencyCycles,
  ];
  expect(listed).toEqual(MEASURES.map(({ title }, at) => [title, weights[at]]));
  expect(document).not.toMatch(/<script>alert|<img/);
  // Its own and the loader.
  expect(document.match(/<script/g)).toHaveLength(2);
});
