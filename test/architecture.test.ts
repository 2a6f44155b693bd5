// Stage: test. Folders are the pipeline: a folder imports only what is upstream of it. docs/architecture.md draws the
// same order.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../src');

/**
 * Upstream first. `contract` is what the stages hand each other: plain data, declared in the folders of those who fill
 * it.
 */
const STAGES = [
  'base',
  'contract',
  'trace',
  'histories',
  'order',
  'sim',
  'replay',
  'machine',
  'profile',
  'hardware',
  'sampled',
  'views',
  'diff',
  'validate',
  'report',
  'exports',
  'html',
  'dump',
  'cli',
];
const CONTRACT = [
  'trace/catalog.ts',
  'replay/flow-result.ts',
  'replay/input.ts',
  'replay/machine.ts',
  'replay/name-lists.ts',
  'replay/result.ts',
  'replay/threads-result.ts',
  'replay/window.ts',
];

function stageOf(file: string): string {
  return CONTRACT.includes(file) ? 'contract' : file.split('/')[0];
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)\.js';$|\bimport\('(\.[^']+)\.js'\)/gms)].map(
    ([, stated, lazy]) => `${relative(SOURCE, resolve(SOURCE, file, '..', stated ?? lazy))}.ts`,
  );
}

test('every folder under src is a stage', () => {
  const folders = new Set(files.map((file) => file.split('/')[0]));
  expect([...folders].sort()).toEqual(STAGES.filter((stage) => stage !== 'contract').sort());
});

test('imports go upstream only', () => {
  const downstream = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => STAGES.indexOf(stageOf(imported)) > STAGES.indexOf(stageOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(downstream).toEqual([]);
});

test('the imports are really read: the command line reaches every stage below it', () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    importsOf(file).forEach(visit);
  };
  visit('cli/main.ts');
  expect([...new Set([...reached].map(stageOf))].sort()).toEqual([...STAGES].sort());
});

test('only the command line prints', () => {
  const printing = files.filter(
    (file) =>
      !file.startsWith('cli/') &&
      /\bconsole\.|process\.(stdout|stderr)\b/.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  expect(printing).toEqual([]);
});
