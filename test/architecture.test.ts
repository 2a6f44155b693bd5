// Stage: test. Folders are the pipeline: a folder imports only what is upstream of it. docs/architecture.md draws the
// same order.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../src');

/** Upstream first. `contract` is the plain data that the stages hand each other. */
const STAGES = [
  'base',
  'contract',
  'trace',
  'order',
  'sim',
  'replay',
  'what-if',
  'stream',
  'kernel',
  'patch',
  'blocks',
  'machine',
  'profile',
  'views',
  'advise',
  'diff',
  'check',
  'report',
  'exports',
  'sql',
  'html',
  'dump',
  'hardware',
  'cli',
];
function stageOf(file: string): string {
  return file.split('/')[0];
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
  expect([...folders].sort()).toEqual([...STAGES].sort());
});

test('imports go upstream only', () => {
  const downstream = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => STAGES.indexOf(stageOf(imported)) > STAGES.indexOf(stageOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(downstream).toEqual([]);
});

/** The parts of src/hardware, upstream first; its README.md draws the same order. */
const HARDWARE = ['samples', 'import', 'histories', 'sampled', 'validate', 'report'];

test('inside the hardware wing, too, imports go upstream only', () => {
  const wing = files.filter((file) => file.startsWith('hardware/'));
  const part = (file: string): string => file.split('/')[1];
  expect([...new Set(wing.map(part))].sort()).toEqual([...HARDWARE].sort());
  const downstream = wing.flatMap((file) =>
    importsOf(file)
      .filter((imported) => imported.startsWith('hardware/'))
      .filter((imported) => HARDWARE.indexOf(part(imported)) > HARDWARE.indexOf(part(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(downstream).toEqual([]);
});

test('of the hardware wing, only its report makes text and pages', () => {
  const makers = STAGES.slice(STAGES.indexOf('report'), STAGES.indexOf('hardware'));
  expect(makers).toEqual(['report', 'exports', 'sql', 'html', 'dump']);
  const making = files.filter(
    (file) => file.startsWith('hardware/') && importsOf(file).some((imported) => makers.includes(stageOf(imported))),
  );
  expect([...new Set(making.map((file) => file.split('/')[1]))]).toEqual(['report']);
});

test('only the commands import the hardware wing', () => {
  const importing = files.filter((file) => importsOf(file).some((imported) => imported.startsWith('hardware/')));
  expect([...new Set(importing.map(stageOf))].sort()).toEqual(['cli', 'hardware']);
});

test('the runtime and the engine do without the hardware wing, whose two collectors do without each other', () => {
  const root = resolve(SOURCE, '..');
  const native = ['engine', 'llvm-pass', 'runtime'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(cc|cpp|h)$/.test(file))
      .map((file) => join(folder, file)),
  );
  const includes = native.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^#include "(\.[^"]+)"$/gm)].map(([, included]) => ({
      file,
      included: relative(root, resolve(root, file, '..', included)),
    })),
  );
  const wing = (file: string): string => /^runtime\/hardware\/(\w+)/.exec(file)?.[1] ?? 'outside';
  const allowed: Readonly<Record<string, readonly string[]>> = {
    outside: [],
    interpose: [],
    code: [],
    records: [],
    run: [],
    probe: [],
    histories: ['interpose', 'code', 'run'],
    sampler: ['interpose', 'code', 'records', 'run'],
  };
  const met = new Set(includes.map(({ file, included }) => `${wing(file)} includes ${wing(included)}`));
  expect(met).toContain('sampler includes code');
  const refused = includes.filter(({ file, included }) => {
    const [from, to] = [wing(file), wing(included)];
    return to !== 'outside' && from !== to && !allowed[from].includes(to);
  });
  expect(refused).toEqual([]);
});

/** Files that import each other, in a circle, directly or by way of others; types count as well. */
function circles(): string[][] {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const reach = (from: string): Set<string> => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      for (const next of imports.get(file) ?? []) if (!reached.has(next)) visit(reached.add(next) && next);
    };
    visit(from);
    return reached;
  };
  const reached = new Map(files.map((file) => [file, reach(file)]));
  const inCircles = files.filter((file) => reached.get(file)!.has(file));
  const groups = inCircles.map((file) =>
    inCircles.filter((other) => reached.get(file)!.has(other) && reached.get(other)!.has(file)).sort(),
  );
  return groups.filter((group, at) => group[0] === inCircles[at]);
}

test('no files import each other in a circle', () => {
  expect(circles()).toEqual([]);
});

test('the imports are really read: the command line reaches every stage below it', () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    importsOf(file).forEach(visit);
  };
  visit('cli/command-line.ts');
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
