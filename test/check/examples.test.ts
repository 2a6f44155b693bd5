// Stage: test. This repository checks its own examples: examples/dprof.yml holds, on one CPU too, and fails as soon as
// somebody adds a field.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckResult } from '../../src/check/check-result.js';
import { runDprof } from '../cli/command-client.js';
import { DPROF, run } from '../cli/command-line.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { ROOT } from './project.js';

const EXAMPLES = join(ROOT, 'examples');
const CHECKED = ['capacity', 'conflict', 'false-sharing'];

/** The examples that are checked, and their baselines, without what was recorded of them before. */
function copyExamples(): string {
  const folder = makeTemporaryFolder('check-examples');
  cpSync(join(EXAMPLES, 'dprof.yml'), join(folder, 'dprof.yml'));
  for (const name of CHECKED) {
    cpSync(join(EXAMPLES, name), join(folder, name), { recursive: true });
    cpSync(join(EXAMPLES, '.dprof', `${name}.json`), join(folder, '.dprof', `${name}.json`));
  }
  return folder;
}

test('they hold, and are no better than what is kept', () => {
  const folder = copyExamples();
  const words = ['check', '-f', join(folder, 'dprof.yml'), '--format', 'json'];
  const { status, stdout, stderr } = runDprof(words);
  expect([status, stderr]).toEqual([0, '']);
  const { programs } = JSON.parse(stdout) as CheckResult;
  expect(programs.map(({ name }) => name)).toEqual(CHECKED);
  for (const { statements } of programs)
    for (const statement of statements) expect([statement.text, statement.status]).toEqual([statement.text, 'passed']);

  const onOne = run('taskset', '-c', '0', DPROF, ...words, '--rerun');
  expect([onOne.status, onOne.stderr]).toEqual([0, '']);
  const values = (result: CheckResult): unknown => result.programs.map(({ statements }) => statements);
  expect(values(JSON.parse(onOne.stdout) as CheckResult)).toEqual(values(JSON.parse(stdout) as CheckResult));
});

test('a field that is added is found: what grew, where, and since which field', () => {
  const folder = copyExamples();
  const source = join(folder, 'capacity/capacity.c');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace('  long key;\n', '  long key;\n  char note[24];\n'));
  const { status, stdout } = runDprof(['check', '-f', join(folder, 'dprof.yml'), 'capacity', '--no-advice'], {
    COLUMNS: '200',
  });
  expect(status).toBe(1);
  const said = stdout.replaceAll(/\n +/g, ' ');
  expect(said).toContain('failed  struct node: bytes == 64: 88 bytes declared at ');
  expect(said).toContain(
    'since the baseline, struct node grew from 64 to 88 bytes, from 1 line to 2; new field note (24 bytes at 16); ' +
      'on another line: visits (line 1 to line 2)',
  );
  expect(said).toMatch(/failed {2}struct node: l1-misses: [\d,]+, before 104,448 \(/);
});

test('the story that docs/check.md begins with is what happens', () => {
  const manual = readFileSync(join(ROOT, 'docs/check.md'), 'utf8');
  const blocks = [...manual.matchAll(/^ {4}(?:# dprof[.]yml|[$] dprof check)\n((?: {4}.*\n|\n(?= {4}))+)/gm)];
  const [yaml, failed, passed] = blocks.slice(0, 3).map(([, block]) => block.replaceAll(/^ {4}/gm, ''));
  const folder = makeTemporaryFolder('check-story');
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const check = (...words: string[]): string => {
    const environment = { ...process.env, COLUMNS: '84', DPROF_DEBUG: '' };
    return spawnSync(DPROF, ['check', ...words], { cwd: folder, encoding: 'utf8', env: environment }).stdout;
  };
  const source = readFileSync(join(EXAMPLES, 'capacity/capacity.c'), 'utf8');
  write('dprof.yml', yaml);
  write('list.c', source);
  expect(check('--update')).toContain('struct node: l1-misses: new -> 104448');
  write('list.c', source.replace('  long key;\n', '  long key;\n  char note[60];\n'));
  const said = check();
  for (const part of failed.split(/ *[.]{3}\n?/)) expect(said).toContain(part.trimEnd());
  const [names, visits] = ['  char name[40];\n', '  long visits;\n'];
  write('list.c', source.replace(names + visits, `${visits}${names}  char note[60];\n`));
  expect(check()).toBe(passed);
});
