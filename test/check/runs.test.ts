// Stage: test. What dprof check runs: it builds first, repeats a run only if something that it depends on has changed,
// and says in one line what went wrong with either. What whoever starts it has in the environment changes no number.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/check/check-result.js';
import { runDprof } from '../cli/command-client.js';
import { unpackBlock } from '../html/unpack.js';
import { compile, listOf, Project, yamlOf } from './project.js';

const LIMITS = listOf('limits', 'loads >= 0');
const isKept = (project: Project, text: string | null, ...words: string[]): boolean =>
  project.result(text, words).programs[0].kept;

/** The one line, without the folder, of a check that could not be finished, and what stands above it. */
function failureOf(project: Project, text: string, status: number): { readonly above: string; readonly said: string } {
  const before = existsSync(project.path('.dprof/work.json')) ? project.read('.dprof/work.json') : null;
  const report = project.path('report.xml');
  writeFileSync(report, 'of another check');
  const outcome = project.check(text, ['--junit', report]);
  expect(outcome.status).toBe(status);
  if (status === 1) {
    expect(outcome.stdout).toMatch(/^work {2}ERROR {2}work: [\s\S]*\n\n1 program could not be checked\n$/);
    expect(readFileSync(report, 'utf8')).toMatch(/tests="1" failures="0" errors="1"[\s\S]*<error message="work: the /);
  } else {
    expect(outcome.stdout).toBe('');
    expect(readFileSync(report, 'utf8')).toBe('of another check');
  }
  expect(existsSync(project.path('.dprof/work.json')) ? project.read('.dprof/work.json') : null).toBe(before);
  const at = outcome.stderr.indexOf('dprof: ');
  const said = outcome.stderr.slice(at).replaceAll(`${project.folder}/`, '').replaceAll(project.folder, '.');
  if (status === 1) expect(said).toMatch(/^dprof: dprof.yml:2:3: work: /);
  expect(said).toMatch(/^dprof: [^\n]+\nhint: [^\n]+\n$/);
  return { above: outcome.stderr.slice(0, at), said };
}

describe('a run is kept', () => {
  const project = new Project({ 'data/a.csv': '1', 'data/b.csv': '2', words: 'abc' });
  const text = yamlOf('read', 'stdin: words', 'inputs: [data/*.csv]', 'environment: {DEPTH: 3}', ...LIMITS);

  test('while nothing has changed, whatever the times of files say', () => {
    expect(isKept(project, text)).toBe(false);
    expect(isKept(project, text)).toBe(true);
    const then = new Date(0);
    for (const name of ['work', 'words', 'data/a.csv']) utimesSync(project.path(name), then, then);
    expect(isKept(project, text)).toBe(true);
    expect(project.check(null).stdout).toContain('not run again: nothing changed');
    expect(project.read('.dprof/cache/.gitignore')).toBe('*\n');
  });

  test('whatever else is asked of it: limits, machine, orders of threads', () => {
    expect(isKept(project, text.replace('loads >= 0', 'stores >= 0'))).toBe(true);
    expect(isKept(project, text.replace('limits:', 'machine: zen3\n    limits:'))).toBe(true);
    expect(isKept(project, text.replace('limits:', 'schedules: 2\n    limits:'))).toBe(true);
  });

  test.each([
    ['the input', () => project.write('words', 'abcd')],
    ['a file of a pattern', () => project.write('data/b.csv', '3')],
    ['a new file of a pattern', () => project.write('data/c.csv', '2')],
    [
      'the program',
      () => project.write('work', Buffer.concat([readFileSync(project.path('work')), Buffer.from('\0')])),
    ],
  ])('not if another is %s', (_, change) => {
    expect(isKept(project, text)).toBe(true);
    change();
    expect(isKept(project, text)).toBe(false);
    expect(isKept(project, text)).toBe(true);
  });

  test.each([
    ['arguments', (now: string) => now.replace('./work read', './work read more')],
    ['a variable', (now: string) => now.replace('DEPTH: 3', 'DEPTH: 4')],
    ['the input', (now: string) => now.replace('stdin: words', 'stdin: data/a.csv')],
  ])('not if the file says other %s', (_, change) => {
    expect(isKept(project, text)).toBe(true);
    expect(isKept(project, change(text))).toBe(false);
    expect(isKept(project, text)).toBe(false);
    expect(isKept(project, text)).toBe(true);
  });

  test('not with --rerun, nor if its trace or what was noted of it is gone or damaged', () => {
    expect(isKept(project, text)).toBe(true);
    expect(isKept(project, text, '--rerun')).toBe(false);
    const note = '.dprof/cache/work/kept.json';
    for (const wrong of ['', '{', 'null', '{"inputs":5}', '[]']) {
      project.write(note, wrong);
      expect(isKept(project, text)).toBe(false);
    }
    expect(isKept(project, text)).toBe(true);
  });

  test('not by another dprof', () => {
    const note = JSON.parse(project.read('.dprof/cache/work/kept.json')) as { inputs: string };
    expect(note.inputs).toMatch(/^[0-9a-f]{64}$/);
    project.write('.dprof/cache/work/kept.json', JSON.stringify({ ...note, inputs: '0'.repeat(64) }));
    expect(isKept(project, text)).toBe(false);
  });

  test('not if a library of it is another', () => {
    const own = new Project({
      'library.c':
        'long table[64];\nlong add(void) { long sum = 0; for (int i = 0; i < 8; i++) sum += table[i]; return sum; }\n',
      'main.c': 'long add(void);\nint main(void) { return (int)add(); }\n',
    });
    own.write(
      'build.sh',
      'dprof-cc -g -O1 -shared -fPIC library.c -o liblibrary.so\n' +
        '[ -e program ] || dprof-cc -g -O1 main.c -L. -llibrary -Wl,-rpath,$PWD -o program\n',
    );
    const yaml = (): string =>
      [
        'programs:',
        '  work:',
        '    build: sh -e build.sh',
        '    run: ./program',
        ...LIMITS.map((line) => `    ${line}`),
        '',
      ].join('\n');
    const [{ value }] = own.statements(yaml());
    expect(isKept(own, null)).toBe(true);
    own.write('library.c', own.read('library.c').replace('i < 8', 'i < 16'));
    const result = own.result(null);
    expect(result.programs[0].kept).toBe(false);
    expect(result.programs[0].statements[0].value[0]).toBe(value[0] + 8);
  });

  test('a profile of it too, which a check that repeats nothing reads', () => {
    const own = new Project();
    const words = ['--format', 'json'];
    const [first, second] = [0, 1].map(() => own.check(yamlOf('list 50', ...LIMITS), words, { DPROF_CACHE: '' }));
    expect([first.stderr, second.stderr]).toEqual(['', '']);
    expect(JSON.parse(second.stdout)).toEqual({
      ...JSON.parse(first.stdout),
      programs: [{ ...JSON.parse(first.stdout).programs[0], kept: true }],
    });
    expect(existsSync(own.path('.dprof/cache/work/run.dptrace.cache'))).toBe(true);
  });
});

describe('what the caller has in the environment changes no number', () => {
  // A word on the stack for each byte of the environment: where the stack lies says which lines these share.
  const source = `#include <stdio.h>
#include <stdlib.h>
extern char **environ;
int main(void) {
  volatile long sum = 0;
  for (char **entry = environ; *entry; entry++)
    for (char *letter = *entry; *letter; letter++) sum += *letter;
  printf("%s %s\\n", getenv("TZ") ? "set" : "none", getenv("OWN") ? "set" : "none");
  return (int)(((unsigned long)&sum >> 4) & 63);
}
`;
  const project = new Project({ 'stack.c': source });
  compile(project.path('stack.c'), project.path('stack'));
  const numbers = ['loads', 'stores', 'instructions', 'l1-misses', 'l2-misses', 'llc-misses', 'estimated-cycles'];
  const yaml = (name: string, status: number): string =>
    [
      `programs:\n  ${name}:\n    run: ./stack\n    status: ${status}\n    limits:\n`,
      ...numbers.map((one) => `      - ${one} >= 0\n`),
    ].join('');
  const statusOf = (text: string, environment: Readonly<Record<string, string>> = {}): number =>
    Number(/with status (\d+), not/.exec(project.check(text, [], environment).stderr)?.[1]);

  test('its length, its variables and those of dprof', () => {
    const status = statusOf(yaml('plain', 99));
    const values = (environment: Readonly<Record<string, string>>): unknown => {
      const { stdout, stderr } = project.check(yaml('plain', status), ['--rerun', '--format', 'json'], environment);
      expect(stderr).toBe('');
      return JSON.parse(stdout).programs[0].statements.map(({ value }: { value: unknown }) => value);
    };
    const plain = values({});
    expect(values({ MUCH: 'x'.repeat(3000), TZ: 'Europe/Berlin' })).toEqual(plain);
    expect(values({ DPROF_MUCH: 'x'.repeat(3000), LD_LIBRARY_PATH: '/tmp', LANG: 'de_DE.UTF-8' })).toEqual(plain);
  });

  test('nor does the folder', () => {
    const own = new Project();
    const text = yamlOf('list 3000', ...listOf('limits', ...numbers.map((one) => `${one} >= 0`)));
    const deep = `much deeper/${'x'.repeat(150)}`;
    mkdirSync(own.path(deep), { recursive: true });
    copyFileSync(own.path('work'), own.path(`${deep}/work`));
    const file = own.write(`${deep}/dprof.yml`, text);
    const there = runDprof(['check', '-f', file, '--format', 'json']);
    const values = ({ programs }: CheckResult): unknown => programs[0].statements.map(({ value }) => value);
    expect(values(JSON.parse(there.stdout) as CheckResult)).toEqual(values(own.result(text)));
  });

  test('what the file says is there', () => {
    const own = new Project();
    copyFileSync(project.path('stack'), own.path('work'));
    const { stderr } = own.check(yamlOf('', 'environment: {OWN: yes, TZ: UTC}', 'status: 99', ...LIMITS));
    expect(stderr).toContain('  set set\n');
  });
});

describe('what goes wrong', () => {
  const project = new Project();
  project.check(yamlOf('list 5', ...listOf('baseline', 'loads')), ['--update']);
  const of = (text: string, status = 1): { readonly above: string; readonly said: string } =>
    failureOf(project, text, status);

  test('the build fails: its last words, and nothing runs', () => {
    const text = yamlOf('list 5', "build: echo compiling; echo 'no rule' >&2; exit 2", ...LIMITS);
    expect(of(text)).toEqual({
      above: '  compiling\n  no rule\n',
      said: expect.stringContaining('dprof: dprof.yml:2:3: work: the build ended with status 2: echo compiling;'),
    });
  });

  test('at most twenty lines of it, and no control characters', () => {
    const { above } = of(yamlOf('list 5', "build: seq 1000; printf '\\033[31mred\\n'; false", ...LIMITS));
    expect(above.trimEnd().split('\n')).toHaveLength(20);
    expect(above).not.toContain('\u001b');
    expect(above).toContain('  1000\n');
  });

  test('much output is not kept in memory', () => {
    const { above } = of(yamlOf('list 5', 'build: head -c 30000000 /dev/zero | tr "\\0" x; false', ...LIMITS));
    expect(above.length).toBeLessThan(1 << 20);
  });

  test('the program ends with another status', () => {
    expect(of(yamlOf('end 3', ...LIMITS))).toEqual({
      above: expect.stringContaining('  said on standard error\n'),
      said:
        'dprof: dprof.yml:2:3: work: the program ended with status 3, not 0: ./work end 3\n' +
        'hint: the last lines that it printed stand above\n',
    });
    expect(project.result(yamlOf('end 3', 'status: 3', ...LIMITS)).status).toBe('passed');
    expect(of(yamlOf('list 5', 'status: 3', ...LIMITS)).said).toContain('the program ended with status 0, not 3');
  });

  test('by a signal', () => {
    expect(of(yamlOf('die', ...LIMITS)).said).toBe(
      'dprof: dprof.yml:2:3: work: the program ended by SIGSEGV, not 0: ./work die\nhint: it printed nothing\n',
    );
  });

  test('a run that failed is not kept, and the one before it stays', () => {
    expect(isKept(project, yamlOf('list 7', ...LIMITS))).toBe(false);
    for (let time = 0; time < 2; time++) of(yamlOf('end 3', ...LIMITS));
    expect(isKept(project, yamlOf('list 7', ...LIMITS))).toBe(true);
    expect(readdirSync(project.path('.dprof/cache')).sort()).toEqual(['.gitignore', '.passed-work.dprofile', 'work']);
  });

  test('with --update nothing is written either, of any program', () => {
    const kept = project.read('.dprof/work.json');
    const other = '  other:\n    run: ./work end 3\n    baseline: [loads]\n';
    const text = yamlOf('list 9', ...listOf('baseline', 'loads')) + other;
    expect(project.check(text, ['--update']).status).toBe(1);
    expect(project.read('.dprof/work.json')).toBe(kept);
    expect(existsSync(project.path('.dprof/other.json'))).toBe(false);
  });

  test.each([
    ['no program', 'programs:\n  work:\n    run: ./none\n', 'no program ./none'],
    ['a program that may not run', 'programs:\n  work:\n    run: ./dprof.yml\n', 'no program ./dprof.yml'],
    ['no input', yamlOf('read', 'stdin: none'), 'none: ENOENT'],
    ['a device as input', yamlOf('read', 'stdin: /dev/zero'), '/dev/zero: no regular file'],
    ['a folder as input', yamlOf('read', 'stdin: .dprof'), '.dprof: no regular file'],
    ['no file of a pattern', yamlOf('read', 'inputs: ["*.csv"]'), 'inputs: nothing is called *.csv'],
    ['a device of inputs', yamlOf('read', 'inputs: [/dev/zero]'), 'inputs: nothing is called /dev/zero'],
    ['no folder', yamlOf('read', 'directory: none', 'build: make'), 'work: no folder none'],
    ['too many arguments', `programs:\n  work:\n    run: [./work, '${'x'.repeat(200_000)}']\n`, 'E2BIG'],
    ['no machine', yamlOf('read', 'machine: pdp11'), 'work: --machine pdp11: neither a preset nor a file'],
  ])('%s', (_, text, what) => {
    expect(of(text, 2).said).toContain(what);
  });

  test('a program that dprof-cc did not compile records nothing', () => {
    expect(project.check('programs:\n  work:\n    run: /bin/true\n')).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^work {2}ERROR {2}work: the program ended with status 1, not 0: /),
      stderr: expect.stringContaining('/bin/true is not instrumented: nothing was recorded\n'),
    });
  });

  test('a machine of a file beside dprof.yml, named alike wherever that lies', () => {
    const machine = '{"l1": {"sizeBytes": 16384, "ways": 4}}';
    const text = yamlOf('list 5', 'machine: small.json', ...listOf('baseline', 'l1-misses'));
    const [one, other] = ['', 'deep/er/'].map((folder) => {
      const own = new Project({ [`${folder}small.json`]: machine });
      copyFileSync(own.path('work'), own.path(`${folder}work`));
      chmodSync(own.path(`${folder}work`), 0o755);
      const file = own.write(`${folder}dprof.yml`, text);
      expect(runDprof(['check', '-f', file, '--update'])).toMatchObject({ status: 0, stderr: '' });
      return own.read(`${folder}.dprof/work.json`);
    });
    expect(one).toBe(other);
    expect(one).toContain('L1 16K/4');
  });

  test('links to programs, and folders with odd names', () => {
    const odd = new Project();
    odd.write("a 'b' $(c)/x", '');
    symlinkSync(odd.path('work'), odd.path("a 'b' $(c)/link"));
    chmodSync(odd.path('work'), 0o755);
    const yaml = `programs:
  work:
    run: [./link, list, "5"]
    directory: "a 'b' $(c)"
    limits: [loads >= 0]
`;
    expect(odd.result(yaml).status).toBe('passed');
  });

  test('dprof-cc is found by builds', () => {
    const own = new Project({
      'one.c': 'int table[4];\nint main(int n, char **v) { (void)v; return table[n - 1]; }\n',
    });
    const yaml = 'programs:\n  work:\n    build: dprof-cc -g one.c -o one\n    run: ./one\n    limits: [loads >= 1]\n';
    expect(own.result(yaml).status).toBe('passed');
  });
});

describe('very many objects', () => {
  const project = new Project();
  const MOST = 200_000;
  const textOf = (nodes: number, ...more: readonly string[]): string =>
    yamlOf(
      `list ${nodes}`,
      ...listOf(
        'limits',
        'site work.c:35: references >= 0',
        'site work.c:35: l1-misses >= 0',
        'struct node: l1-misses >= 0',
        ...more,
      ),
    );

  test('are summed up, and what is checked of them is as if they were not', () => {
    for (const nodes of [MOST, MOST + 1]) {
      const [references, misses, ofType] = project.statements(textOf(nodes)).map(({ value }) => value);
      expect(references).toEqual([7 * nodes, 7 * nodes]); // three stores, and two loads in each of two walks
      expect(misses).toEqual(ofType);
    }
  });

  test('the sums are kept for the next check, and are nothing to report', () => {
    const kept = { DPROF_CACHE: '1' };
    project.check(textOf(MOST + 2), [], kept);
    const folder = project.path('.dprof/cache/work/run.dptrace.cache');
    const [name, ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(project.check(null, [], kept).stdout).toContain('not run again: nothing changed');
    const { status, stderr } = runDprof(['report', join(folder, name)]);
    expect([status, stderr.split('\n')[0].replace(/^.*\.dprofile/, 'it')]).toEqual([
      2,
      'it is of a check of very many objects, and has only sums of them',
    ]);
    const objects = runDprof(['report', project.path('.dprof/cache/work/run.dptrace'), '--view', 'working-set']);
    expect(objects.stdout).toMatch(new RegExp(`struct node +[^\n]*\\b${(MOST + 2).toLocaleString('en')}\\b`));
  });

  test('a page tells them apart', () => {
    const words = ['--no-advice', '--html', project.path('pages')];
    expect(project.check(textOf(MOST + 1, 'loads <= 1'), words).status).toBe(1);
    const view = JSON.stringify(unpackBlock(project.read('pages/work.html'), 'view-0'));
    expect(view).toContain(`${MOST + 1}`);
  });
});
