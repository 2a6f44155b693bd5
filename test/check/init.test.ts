// Stage: test. dprof check --init: a first dprof.yml of a run, which the next commands accept, and never over another.

import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCheckFile } from '../../src/check/check-file.js';
import { nameProgram } from '../../src/check/first-file.js';
import { runDprof, type Outcome } from '../cli/command-client.js';
import { compile, Project, wrongOf } from './project.js';

const init = (project: Project, ...words: string[]): Outcome =>
  runDprof(['check', '-f', project.path('dprof.yml'), '--init', ...words]);

interface Written {
  readonly programs: Readonly<Record<string, { run: string[]; limits?: unknown[]; baseline: unknown[] }>>;
}

test('the costliest types, with a word on each; it passes as soon as it is updated', () => {
  const project = new Project();
  const file = project.path('dprof.yml');
  const { status, stdout, stderr } = init(project, '--', './work', 'list', '300');
  expect([status, stdout, stderr]).toEqual([
    0,
    `${file}: what holds of this run\nnext: dprof check -f ${file} --update\n`,
    '',
  ]);
  expect(project.read('dprof.yml')).toBe(`\
# What dprof check runs, and what must hold of it. docs/check.md of dprof says what else can stand here.
programs:
  work:
    # 'build: make CC=dprof-cc' would build it first; 'inputs: [data/*.csv]' are files that the run depends on.
    run: ["./work","list","300"]
    # These hold today, whatever the baseline says.
    limits:
      # it costs much: a field more may be a line more
      - struct node: lines <= 1
    # These may not grow by more than is said. dprof check --update keeps the numbers of a run.
    baseline:
      # latency of all references that miss the L1
      - estimated-cycles within 1 %
      # 97.4 % of the estimated cycles
      - struct node: l2-misses within 2 %
`);
  expect(wrongOf(project.check(null), project)).toContain('dprof check --update');
  expect(project.check(null, ['--update']).status).toBe(0);
  expect(project.statements(null).map((one) => one.status)).toEqual(['passed', 'passed', 'passed']);
  expect(project.result(null).programs[0].kept).toBe(true);
});

test('what several threads share without false sharing keeps so; what has some is not named', () => {
  const project = new Project();
  expect(init(project, '--', './work', 'requests').status).toBe(0);
  const { work } = (parse(project.read('dprof.yml')) as Written).programs;
  expect(work.limits).toContainEqual({ 'struct statistics': 'false-sharing <= 0' });
  const other = new Project();
  expect(init(other, '--', './work', 'counters').status).toBe(0);
  const { limits = [] } = (parse(other.read('dprof.yml')) as Written).programs.work;
  expect(limits).not.toContainEqual({ 'struct counters': 'false-sharing <= 0' });
  expect(limits).toContainEqual({ 'struct counters': 'lines <= 1' });
});

test('arguments and types with any letters', async () => {
  const source = `#include <memory>
#include <string>
#include <vector>
template <class Key, class... More> struct map_of { Key key; long more[32]; };
int main(int, char **words) {
  std::vector<map_of<std::string, std::pair<int, long>>> all(500);
  long sum = 0;
  for (auto &one : all) sum += one.more[0] + words[1][0];
  return sum == 1;
}
`;
  const project = new Project({ 'any.cc': source });
  compile(project.path('any.cc'), project.path('any'));
  const words = ['./any', 'it\'s: "x" # {a}', '--format', '', 'a\nb'];
  const { status, stderr } = init(project, '--', ...words);
  expect([status, stderr]).toEqual([0, '']);
  const [program] = readCheckFile(project.path('dprof.yml'));
  expect(program.run).toEqual(words);
  expect(project.check(null, ['--update']).status).toBe(0);
  expect(project.check(null).status).toBe(0);
});

test('a file that is there stays, and nothing runs', () => {
  const project = new Project({ 'dprof.yml': 'mine\n' });
  expect(wrongOf(init(project, '--', './work', 'list', '5'), project)).toBe(
    'dprof: dprof.yml is there, and stays as it is\nhint: name another by -f, or write into this one\n',
  );
  expect(project.read('dprof.yml')).toBe('mine\n');
  expect(readdirSync(project.folder).sort()).toEqual(['dprof.yml', 'work']);
});

test('without a program, or with one that fails, nothing is written', () => {
  const project = new Project();
  expect(wrongOf(init(project), project)).toContain('--init: no program is named\nhint: put it behind');
  expect(wrongOf(init(project, '--', './none'), project)).toContain('no program ./none');
  expect(init(project, '--', './work', 'end', '3')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('work: the program ended with status 3, not 0'),
  });
  expect(existsSync(project.path('dprof.yml'))).toBe(false);
});

test.each([
  ['./build/list.out', 'list.out'],
  ['/a/b c', 'program'],
  ['./.hidden', 'program'],
  [`./${'x'.repeat(200)}`, 'program'],
])('%s is called %s', (word, name) => {
  expect(nameProgram(word)).toBe(name);
});
