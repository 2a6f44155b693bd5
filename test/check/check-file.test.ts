// Stage: test. A dprof.yml that is wrong is one line with its place, a hint, status 2, and nothing ran or was written.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCheckFile } from '../../src/check/check-file.js';
import { CHECK_SCHEMA } from '../../src/check/check-schema.js';
import { runDprof } from '../cli/command-client.js';
import { Project, ROOT, wrongOf, yamlOf } from './project.js';

const project = new Project();

/** What is said of the text, without the hint; it must be one line and a hint. */
function wrong(text: string): string {
  const said = wrongOf(project.check(text), project);
  expect(said).toMatch(/^dprof: [^\n]+\nhint: [^\n]+\n$/);
  expect(existsSync(project.path('.dprof')), said).toBe(false);
  return said.slice('dprof: '.length, said.indexOf('\n'));
}

describe('a place', () => {
  test.each([
    ['an unknown word', 'program:\n  a:\n    run: ./work\n', "1:1: unknown word 'program'"],
    ['one of a program', 'programs:\n  a:\n    run: ./work\n    limit: []\n', "4:5: unknown word 'limit'"],
    ['no run', 'programs:\n  a:\n    build: make\n', "3:5: 'a' has no 'run'"],
    ['nothing', '', '1:1: the file must be a mapping'],
    ['a list', '- a\n', '1:1: the file must be a mapping'],
    ['no programs', 'x-a: 1\n', "1:1: unknown word 'x-a'"],
    ['no program', 'programs: {}\n', "1:11: 'programs' must not be empty"],
    ['a path as a name', 'programs:\n  ../../etc/x:\n    run: ./work\n', "2:3: '../../etc/x' is no name of a program"],
    ['a name of dots', 'programs:\n  ..:\n    run: ./work\n', "2:3: '..' is no name of a program"],
    ['another type', 'programs:\n  a:\n    run: 5\n', "3:10: 'run' must be a text"],
    ['a quote', "programs:\n  a:\n    run: ./work 'x\n", '3:10: a quote is not closed'],
    ['an empty command', "programs:\n  a:\n    run: ' '\n", '3:10: no program is named'],
    ['a status', 'programs:\n  a:\n    run: ./work\n    status: 256\n', "4:13: 'status' must be <= 255"],
    ['a number of orders', yamlOf('', 'schedules: 0'), "4:16: 'schedules' must be >= 1"],
    ['no limit', yamlOf('', 'limits:', '  - l1-misses <= 5', '  - l1-misses'), "6:9: 'l1-misses' is no limit"],
    ['no unit', yamlOf('', 'limits:', '  - unused-bytes <= 20'), '5:9: unused-bytes: a number needs its unit'],
    [
      'a limit of a subject',
      yamlOf('', 'limits:', '  - struct node: bytes <= 64, line <= 1'),
      "5:22: nothing is called 'line' that can be counted",
    ],
    [
      'a limit in a list',
      yamlOf('', 'limits:', '  - struct node:', '      - bytes <= 64', '      - lines <= one'),
      "7:13: 'one' is no number",
    ],
    ['quoted', yamlOf('', 'limits:', '  - "struct node: bytes >= x"'), "5:9: 'x' is no number"],
    ['no baseline', yamlOf('', 'baseline:', '  - l1-misses <= 5'), "5:9: 'l1-misses <= 5' is no baseline"],
    ['two subjects', yamlOf('', 'limits:', '  - a: loads <= 1', '    b: loads <= 1'), '5:9: '],
    ['a tab', 'programs:\n\ta:\n', '2:1: '],
    ['a word twice', 'programs:\n  a:\n    run: ./work\n    run: ./work\n', '4:5: Map keys must be unique'],
    ['an open quote', 'programs:\n  a:\n    run: "./work\n', '4:1: Missing closing "quote'],
    ['two documents', 'programs: 1\n---\nprograms: 2\n', '2:1: '],
    ['an unknown anchor', 'programs: *x\n', '1:11: Unresolved alias'],
  ])('%s', (_, text, place) => {
    const said = wrong(text);
    expect(said.replace(/^dprof[.]yml:/, '').slice(0, place.length)).toBe(place);
  });
});

test('hints name the closest word', () => {
  expect(wrongOf(project.check('programs:\n  a:\n    run: ./work\n    limit: []\n'), project)).toContain(
    "hint: did you mean 'limits'?",
  );
});

test('a word that is a property of every object is unknown too', () => {
  expect(wrong('programs:\n  a:\n    run: ./work\n    constructor: x\n')).toContain("unknown word 'constructor'");
  expect(wrong('programs:\n  a:\n    run: ./work\n    __proto__: {}\n')).toContain("unknown word '__proto__'");
});

test('anchors are read', async () => {
  const path = project.write(
    'anchors.yml',
    `programs:
  a: &a
    run: ./work
    limits: &l
      - loads <= 1
  b:
    run: ./work
    limits: *l
  c: *a
`,
  );
  const programs = readCheckFile(path);
  expect(programs.map(({ name, limits }) => [name, limits.length])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
});

test('a bomb of anchors is refused at once', () => {
  const levels = Array.from({ length: 12 }, (_, at) =>
    at === 0
      ? 'x0: &x0 [a, a, a, a, a, a, a, a, a]'
      : `x${at}: &x${at} [${Array(9)
          .fill(`*x${at - 1}`)
          .join(', ')}]`,
  );
  expect(wrong(`${levels.join('\n')}\nprograms: *x11\n`)).toMatch(/^dprof[.]yml:1:1: .*alias/i);
});

test('depth is bounded', () => {
  expect(wrong(`programs: ${'['.repeat(100_000)}\n`)).toMatch(/^dprof[.]yml/);
});

test('a file of 2 MB, a folder, a device and no file', () => {
  expect(wrong(`# ${'x'.repeat(2 << 20)}\nprograms: {}\n`)).toBe('dprof.yml: it has more than 1 MiB');
  mkdirSync(project.path('folder'));
  const of = (path: string): string => wrongOf(runDprof(['check', '-f', path]), project).split('\n')[0];
  expect(of(project.path('folder'))).toBe('dprof: folder: EISDIR');
  expect(of('/dev/zero')).toBe('dprof: /dev/zero: it has more than 1 MiB');
  expect(of(project.path('none.yml'))).toBe('dprof: none.yml: ENOENT');
});

test('bytes that are no text', () => {
  project.write('dprof.yml', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]));
  expect(wrongOf(project.check(null), project)).toMatch(/^dprof: dprof[.]yml:1:1: /);
});

test('a program that the file has not', () => {
  const outcome = project.check('programs:\n  work:\n    run: ./work\n  other:\n    run: ./work\n', ['wrok']);
  expect(wrongOf(outcome, project)).toBe("dprof: no program 'wrok' in the file\nhint: did you mean 'work'?\n");
});

test('the schema in docs is the one that the file is read by, and what it accepts is described', async () => {
  const written = JSON.parse(readFileSync(join(ROOT, 'docs/check.schema.json'), 'utf8')) as object;
  expect(written).toEqual(CHECK_SCHEMA);
  const accepts = new Ajv({ allowUnionTypes: true }).compile(written);
  const example =
    /# dprof[.]yml\n((?: {4}.*\n|\n)+)/.exec(readFileSync(join(ROOT, 'docs/check.md'), 'utf8'))?.[1] ?? '';
  const data = parse(example.replaceAll(/^ {4}/gm, '')) as object;
  expect(accepts(data)).toBe(true);
  const [program] = readCheckFile(project.write('example.yml', example.replaceAll(/^ {4}/gm, '')));
  expect([program.limits.length, program.baseline.length]).toEqual([1, 1]);
  const manual = readFileSync(join(ROOT, 'docs/check.md'), 'utf8');
  for (const key of Object.keys(CHECK_SCHEMA.properties.programs.additionalProperties.properties))
    expect(manual).toContain(`\`${key}\``);
});
