// Stage: test. Limits and baselines of a run: what holds, what does not, by how much; what --update writes; and which
// baselines are refused.

import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/check/check-result.js';
import { DPROF, run } from '../cli/command-line.js';
import { listOf, Project, wrongOf, yamlOf } from './project.js';

const project = new Project();
const BASELINE = '.dprof/work.json';
const misses = (text: string): string => yamlOf('list 300', ...listOf('limits', text));

describe('a limit of 151 misses', () => {
  test.each([
    ['<= 151', 'passed'],
    ['<= 150', 'failed'],
    ['< 152', 'passed'],
    ['< 151', 'failed'],
    ['>= 151', 'passed'],
    ['>= 152', 'failed'],
    ['> 150', 'passed'],
    ['> 151', 'failed'],
    ['== 151', 'passed'],
    ['= 151', 'passed'],
    ['== 150', 'failed'],
    ['== 152', 'failed'],
    ['<= 0.151k', 'passed'],
  ])('%s: %s', (text, status) => {
    const result = project.result(misses(`struct node: l1-misses ${text}`));
    expect(result.status).toBe(status);
    expect(result.programs[0].statements).toMatchObject([{ status, value: [151, 151], kind: 'limit' }]);
  });
});

test('the exit status is 0 if all hold, 1 if one does not, and text says which', () => {
  const passed = project.check(misses('struct node: l1-misses <= 151, bytes <= 64'));
  expect(passed.status).toBe(0);
  expect(passed.stdout).toContain('2 statements hold');
  const failed = project.check(misses('struct node: l1-misses <= 150, bytes <= 64'), ['--no-advice']);
  expect(failed.status).toBe(1);
  expect(failed.stdout).toMatch(
    /^work {2}FAILED {2}[.]\/work list 300; 2,114 references; not run again|^work {2}FAILED/,
  );
  expect(failed.stdout).toContain('  failed  struct node: l1-misses <= 150: 151\n');
  expect(failed.stdout).toMatch(/ all of it at [^\n]*work[.]c:37 \(push\)\n/);
  expect(failed.stdout).toContain('  ok      struct node: bytes <= 64: 24 bytes\n');
  expect(failed.stdout).toMatch(/\n1 of 2 statements failed\n$/);
});

test('several programs: those that are named, in the order of the file', () => {
  const other = '  other:\n    run: ./work list 10\n    limits:\n      - loads <= 1\n';
  const two = misses('loads <= 1G') + other;
  const names = (words: string[]): string[] => project.result(two, words).programs.map(({ name }) => name);
  expect(names([])).toEqual(['work', 'other']);
  expect(names(['other', 'work'])).toEqual(['work', 'other']);
  expect(names(['work'])).toEqual(['work']);
});

describe('a baseline', () => {
  const yaml = (nodes: number, ...kept: string[]): string =>
    yamlOf(`list ${nodes}`, ...listOf('baseline', ...(kept.length === 0 ? ['struct node: l1-misses, bytes'] : kept)));
  beforeAll(() => {
    const { status, stdout } = project.check(yaml(300), ['--update']);
    expect([status, stdout.replaceAll(`${project.folder}/`, '')]).toEqual([
      0,
      `${BASELINE}: 2 of 2 numbers changed\n  struct node: bytes: new -> 24\n  struct node: l1-misses: new -> 151\n`,
    ]);
  });

  test('is small, sorted and one number a line', () => {
    expect(project.read(BASELINE)).toBe(`{
  "schema": "dprof.baseline/1",
  "machine": "default, 1 core, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes",
  "counts": {
    "struct node: bytes": 24,
    "struct node: l1-misses": 151
  },
  "structs": {
    "struct node": {"bytes":24,"fields":{"key":[0,8],"next":[8,8],"value":[16,8]}}
  }
}
`);
  });

  test.each([
    [300, 'struct node: l1-misses', 'passed', 151],
    [301, 'struct node: l1-misses', 'passed', 151],
    [306, 'struct node: l1-misses', 'failed', 154],
    [306, 'struct node: l1-misses within 2 %', 'passed', 154],
    [306, 'struct node: l1-misses within 1.9 %', 'failed', 154],
    [306, 'struct node: l1-misses within 3', 'passed', 154],
    [306, 'struct node: l1-misses within 2', 'failed', 154],
    [200, 'struct node: l1-misses', 'better', 101],
    [200, 'struct node: l1-misses within 40 %', 'passed', 101],
    [200, 'struct node: l1-misses within 50', 'passed', 101],
    [200, 'struct node: l1-misses within 49', 'better', 101],
  ])('%i nodes, %s: %s', (nodes, statement, status, value) => {
    const result = project.result(yaml(nodes, statement));
    expect(result.status).toBe(status === 'failed' ? 'failed' : 'passed');
    expect(result.programs[0].statements).toMatchObject([{ status, value: [value, value], against: [151, 151] }]);
  });

  test('says what changed, and keeps it only if it is told to', () => {
    const before = project.read(BASELINE);
    const failed = project.check(yaml(400), ['--no-advice']);
    expect(failed.status).toBe(1);
    expect(failed.stdout).toContain('failed  struct node: l1-misses: 201, before 151 (+33.1 %)\n');
    expect(failed.stdout).toContain('by field: key 201\n');
    const better = project.check(yaml(100));
    expect(better.status).toBe(0);
    expect(better.stdout).toContain('better  struct node: l1-misses: 51, before 151 (-66.2 %)\n');
    expect(better.stdout).toContain('1 better than the baseline (dprof check --update keeps it)');
    expect(project.read(BASELINE)).toBe(before);
    const { stdout } = project.check(yaml(400), ['--update']);
    expect(stdout).toContain('1 of 2 numbers changed\n  struct node: l1-misses: 151 -> 201\n');
    expect(project.check(null).status).toBe(0);
    expect(project.check(yaml(300), ['--update']).status).toBe(0);
    expect(project.read(BASELINE)).toBe(before);
  });

  test('a struct that grew since, and fields that moved, are named', () => {
    const kept = project.read(BASELINE);
    project.write(
      BASELINE,
      kept
        .replace('"l1-misses": 151', '"l1-misses": 5')
        .replace('l1-misses": 151', 'l1-misses": 5')
        .replace(/"bytes":24,.*\n/, '"bytes":72,"fields":{"key":[0,8],"next":[64,8],"old":[16,4]}}\n'),
    );
    const { stdout } = project.check(yaml(300, 'struct node: l1-misses'), ['--no-advice']);
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
      'since the baseline, struct node shrank from 72 to 24 bytes, from 2 lines to 1; ' +
        'new field value (8 bytes at 16); ' +
        'no longer there: old; on another line: next (line 2 to line 1)',
    );
    project.write(BASELINE, kept);
  });

  describe('is refused, and stays as it is:', () => {
    const kept = (): string => project.read(BASELINE);
    function refused(text: string, ...statements: string[]): string {
      const before = kept();
      project.write(BASELINE, text);
      const said = wrongOf(project.check(yaml(300, ...statements)), project);
      expect(project.read(BASELINE) === text).toBe(true);
      project.write(BASELINE, before);
      expect(said).toMatch(/^dprof: [^\n]+\nhint: dprof check --update [^\n]+\n$/);
      return said.slice('dprof: '.length, said.indexOf('\n'));
    }

    test('of another machine', () => {
      const outcome = project.check(yaml(300).replace('baseline:', 'machine: zen3\n    baseline:'));
      expect(wrongOf(outcome, project)).toMatch(
        /^dprof: [.]dprof\/work[.]json: a baseline of another machine \(default, .*\), and work is replayed on zen3, .*\n/,
      );
    });

    test('of another version', () => {
      expect(refused(kept().replace('baseline/1', 'baseline/2'))).toBe(
        '.dprof/work.json: a baseline of another version (dprof.baseline/2)',
      );
    });

    test('without a number that is asked for', () => {
      expect(refused(kept(), 'struct node: l1-misses', 'loads')).toBe("dprof.yml:6:9: .dprof/work.json has no 'loads'");
      expect(refused(kept().replace('bytes": 24', '__proto__": 24'), 'struct node: bytes')).toContain('has no');
    });

    test.each([
      ['no JSON', '{', /: not JSON: /],
      ['nothing', '', /: not JSON: /],
      ['null', 'null', /: no baseline: the file must be object/],
      ['a list', '[]', /: no baseline: the file must be object/],
      ['another schema', '{"schema": 5}', /: no baseline: /],
      [
        'a text for a number',
        '{"schema":"dprof.baseline/1","machine":"","counts":{"a":"5"},"structs":{}}',
        /\/counts\/a/,
      ],
      ['a negative', '{"schema":"dprof.baseline/1","machine":"","counts":{"a":-5},"structs":{}}', /\/counts\/a/],
      ['three of two', '{"schema":"dprof.baseline/1","machine":"","counts":{"a":[1,2,3]},"structs":{}}', /\/counts\/a/],
      ['conflicts of a merge', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', /: not JSON: /],
      ['much too much', `"${'x'.repeat(5 << 20)}"`, /: it has more than 4 MiB/],
      ['deep', '['.repeat(200_000), /: no/],
    ])('%s', (_, text, what) => {
      expect(refused(text)).toMatch(what);
    });
  });
});

test('--update says if limits fail, which keeps no number from being written', () => {
  const own = new Project();
  const text = yamlOf('list 5', ...listOf('limits', 'loads <= 1, stores <= 1G'), ...listOf('baseline', 'loads'));
  const { status, stdout } = own.check(text, ['--update']);
  expect([status, stdout.split('\n').at(-2)]).toEqual([0, '1 of 2 limits failed: dprof check says where']);
  expect(existsSync(own.path(BASELINE))).toBe(true);
});

test('without a baseline nothing is compared, and the program does not run', () => {
  const empty = new Project();
  expect(wrongOf(empty.check(yamlOf('list 5', ...listOf('baseline', 'loads'))), empty)).toBe(
    'dprof: dprof.yml:2:3: work: no baseline: .dprof/work.json is not there\nhint: dprof check --update writes it\n',
  );
  expect(existsSync(empty.path('.dprof'))).toBe(false);
});

test('names that are hostile to JSON, to objects and to terminals', () => {
  const yaml = yamlOf('list 5', ...listOf('baseline', '"constructor: loads"'));
  expect(wrongOf(project.check(yaml, ['--update']), project)).toContain("no type 'constructor' in this run");
  const escape = yamlOf('list 5', 'limits:', '  - "\\e[31mx: loads <= 1"');
  const { status, stderr } = project.check(escape, ['--no-advice']);
  expect(status).toBe(2);
  expect(stderr).not.toContain('\u001b');
});

describe('counts that depend on the order of threads', () => {
  const threads = new Project();
  const yaml = (run: string, kind: 'limits' | 'baseline', ...rest: string[]): string =>
    yamlOf(run, ...listOf(kind, ...rest));
  const FALSE = 'struct counters: false-sharing';

  test('one order, unless the file asks for more', () => {
    const { programs } = threads.result(yaml('counters', 'limits', `${FALSE} == 998`));
    expect(programs[0]).toMatchObject({ status: 'passed', schedules: 1 });
  });

  test('a limit must hold in all orders', () => {
    const of = (text: string): [string, readonly number[]] => {
      const [{ status, value }] = threads.statements(
        yaml('counters', 'limits', `${FALSE} ${text}`).replace('limits:', 'schedules: 4\n    limits:'),
      );
      return [status, value];
    };
    const [, [low, high]] = of('>= 0');
    expect(high).toBe(998);
    expect(low).toBeLessThan(200);
    expect(of(`<= ${high}`)[0]).toBe('passed');
    expect(of(`<= ${high - 1}`)[0]).toBe('failed');
    expect(of(`>= ${low}`)[0]).toBe('passed');
    expect(of(`>= ${low + 1}`)[0]).toBe('failed');
    expect(of(`== ${high}`)[0]).toBe('failed');
  });

  test('four orders where recorded synchronisation decided; a baseline fails by its upper end', () => {
    const text = yaml('requests', 'baseline', 'struct statistics: true-sharing within 1 %');
    expect(threads.check(text, ['--update']).status).toBe(0);
    const { programs } = threads.result(null);
    expect(programs[0].schedules).toBe(4);
    const [{ value, against }] = programs[0].statements;
    expect(against).toEqual(value);
    expect(value[0]).toBeLessThan(value[1]);
    const kept = threads.read(BASELINE);
    expect(kept).toContain(`"struct statistics: true-sharing": [${value.join(',')}]`);
    const words = ['check', '-f', threads.path('dprof.yml'), '--rerun', '--format', 'json'];
    const onOne = run('taskset', '-c', '0', DPROF, ...words);
    expect((JSON.parse(onOne.stdout) as CheckResult).programs[0].statements).toMatchObject([
      { value, status: 'passed' },
    ]);
    threads.write(BASELINE, kept.replace(`[${value.join(',')}]`, `[${value[0]},${value[1] - 100}]`));
    expect(threads.statements(null)).toMatchObject([{ status: 'failed' }]);
    expect(threads.check(null, ['--no-advice']).stdout).toContain('(by the order of threads)');
    threads.write(BASELINE, kept.replace(`[${value.join(',')}]`, `${value[1] + 100}`));
    expect(threads.statements(null)).toMatchObject([{ status: 'better' }]);
  });
});

test('nothing is left in the folder but what was asked for', () => {
  expect(readdirSync(project.path('.dprof')).sort()).toEqual(['cache', 'work.json']);
});
