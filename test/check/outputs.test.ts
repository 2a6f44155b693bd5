// Stage: test. What CI gets of a check: SARIF by its schema, JUnit by an XML parser, annotations as a runner reads
// them, Markdown that hostile names do not break.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CheckResult, ProgramResult, StatementResult } from '../../src/check/check-result.js';
import { renderAnnotations, renderMarkdown, withoutCommands } from '../../src/exports/check-github.js';
import { renderJunit } from '../../src/exports/check-junit.js';
import { renderSarif } from '../../src/exports/check-sarif.js';
import { renderCheck } from '../../src/report/check-text.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { unpackBlock } from '../html/unpack.js';
import { listOf, Project, yamlOf } from './project.js';

/** The schema of SARIF 2.1.0, draft 4 of JSON schema: the keywords that it uses are those of today but for its name. */
function sarifSchema(): object {
  const path = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { $schema, id, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  expect([$schema, id]).toEqual([expect.stringContaining('draft-04'), expect.stringContaining('sarif-2.1.0')]);
  return schema;
}

const isSarif = new Ajv({ strict: false, validateFormats: false, allErrors: true, unicodeRegExp: false }).compile(
  sarifSchema(),
);
const isUri = (text: string): boolean => URL.canParse(text, 'file:///root/');

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly message: { readonly text: string };
      readonly partialFingerprints: Readonly<Record<string, string>>;
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { readonly startLine: number };
        };
      }[];
    }[];
  }[];
}

function sarifOf(text: string): Sarif['runs'][number] {
  const log = JSON.parse(text) as Sarif;
  isSarif(log);
  expect(isSarif.errors).toBeNull();
  const [{ tool, results }] = log.runs;
  for (const { ruleId, ruleIndex, locations } of results) {
    expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    for (const { physicalLocation: own } of locations) expect(isUri(own.artifactLocation.uri)).toBe(true);
  }
  return log.runs[0];
}

interface Element {
  readonly tag: string;
  readonly of: Readonly<Record<string, string>>;
  readonly text: string;
  readonly inside: readonly Element[];
}

const XML_TO_JSON = `
import json, sys, xml.etree.ElementTree as tree
def plain(element):
    return {'tag': element.tag, 'of': element.attrib, 'text': element.text or '', 'inside': [plain(e) for e in element]}
print(json.dumps(plain(tree.fromstring(sys.stdin.buffer.read()))))
`;

/** By Python's parser, expat. */
function parseXml(text: string): Element {
  return JSON.parse(execFileSync('python3', ['-c', XML_TO_JSON], { input: text, encoding: 'utf8' })) as Element;
}

/** As a runner reads them: GitHub's documentation of workflow commands. */
function annotationsOf(text: string): { readonly of: Readonly<Record<string, string>>; readonly message: string }[] {
  const plain = (escaped: string): string =>
    escaped
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%25', '%');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, properties, message] = /^::error ([^:]*)::(.*)$/.exec(line) ?? [];
      const of = properties
        .split(',')
        .map((one) => [one.slice(0, one.indexOf('=')), plain(one.slice(one.indexOf('=') + 1))]);
      return { of: Object.fromEntries(of) as Record<string, string>, message: plain(message) };
    });
}

const LIMITS = ['struct node: l1-misses <= 150, bytes <= 64', 'estimated-cycles <= 1', 'loads <= 1G'];

describe('of a run', () => {
  const project = new Project();
  const text = yamlOf('list 300', ...listOf('limits', ...LIMITS));
  let result: CheckResult;
  const make = (format: string): string => project.check(text, ['--no-advice', '--format', format]).stdout;
  beforeAll(() => {
    result = project.result(text);
  });

  test('JSON has every statement, and where what failed is', () => {
    expect(result).toMatchObject({ schema: 'dprof.check/1', status: 'failed' });
    const [{ statements }] = result.programs;
    expect(statements.map(({ status }) => status)).toEqual(['failed', 'passed', 'failed', 'passed']);
    expect(statements[0]).toMatchObject({
      text: 'struct node: l1-misses <= 150',
      subject: 'struct node',
      measure: 'l1-misses',
      per: null,
      value: [151, 151],
      against: [150, 150],
      place: { line: 5, column: 22 },
      at: { line: 37, function: 'push', share: 1 },
    });
    expect(statements[1].at).toBeNull();
  });

  test('SARIF has a result for each that failed', () => {
    const { results, tool } = sarifOf(make('sarif'));
    expect(results.map(({ ruleId }) => ruleId)).toEqual(['l1-misses', 'estimated-cycles']);
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(['estimated-cycles', 'l1-misses']);
    expect(results[0].locations[0].physicalLocation.region.startLine).toBe(37);
    expect(results[0].message.text).toMatch(
      /^struct node: l1-misses <= 150: 151\nall of it at .*work[.]c:37 \(push\)\n/,
    );
  });

  test('JUnit has a case for each, and a failure for each that failed', () => {
    const suites = parseXml(make('junit'));
    expect(suites).toMatchObject({ tag: 'testsuites', of: { name: 'dprof check', tests: '4', failures: '2' } });
    const [suite] = suites.inside;
    expect(suite).toMatchObject({ tag: 'testsuite', of: { name: 'work', tests: '4', failures: '2' } });
    expect(suite.inside.map(({ tag, of, inside }) => [tag, of.name, inside.length])).toEqual([
      ['testcase', 'struct node: l1-misses <= 150', 1],
      ['testcase', 'struct node: bytes <= 64', 0],
      ['testcase', 'estimated-cycles <= 1', 1],
      ['testcase', 'loads <= 1G', 0],
    ]);
    expect(suite.inside[0].inside[0]).toMatchObject({ tag: 'failure', of: { message: '151' } });
  });

  test('GitHub: annotations, then the text', () => {
    const said = make('github');
    const annotations = annotationsOf(said.slice(0, said.indexOf('\nwork ')));
    expect(annotations).toHaveLength(2);
    expect(annotations[0]).toMatchObject({ of: { line: '37', title: 'dprof: work: struct node: l1-misses <= 150' } });
    expect(annotations[0].message).toMatch(/^151\nall of it at /);
    expect(said).toContain('2 of 4 statements failed');
  });

  test('a summary of the step, behind what is there', () => {
    const summary = project.write('summary.md', 'before\n');
    project.check(text, ['--no-advice', '--format', 'github'], { GITHUB_STEP_SUMMARY: summary });
    expect(project.read('summary.md')).toBe(`before\n${make('markdown')}`);
  });

  test('files beside another format are what that format prints', () => {
    const names = ['junit', 'sarif', 'markdown'].flatMap((one) => [`--${one}`, project.path(`out/${one}`)]);
    const { status, stdout } = project.check(text, ['--no-advice', ...names]);
    expect(status).toBe(1);
    expect(stdout).toContain('2 of 4 statements failed');
    for (const one of ['junit', 'sarif', 'markdown']) expect(project.read(`out/${one}`)).toBe(make(one));
  });

  test('a file that cannot be written', () => {
    const { status, stderr } = project.check(text, ['--no-advice', '--sarif', project.path('dprof.yml/x.sarif')]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^dprof: cannot write [^\n]*x[.]sarif: [A-Z]+\nhint: nothing was overwritten\n$/);
  });

  test('what dprof advise says stands below what failed, and in JSON', () => {
    const advised = yamlOf('counters', ...listOf('limits', 'struct counters: false-sharing <= 0'));
    const { status, stdout } = project.check(advised);
    expect(status).toBe(1);
    expect(stdout).toMatch(/failed {2}struct counters: false-sharing <= 0: 998\n/);
    expect(stdout).toMatch(/\n1\. [^\n]*struct counters/);
    const json = JSON.parse(project.check(advised, ['--format', 'json']).stdout) as CheckResult;
    expect(json.programs[0].advice.map(({ type }) => type)).toEqual(['struct counters']);
    expect(project.result(advised).programs[0].advice).toEqual([]);
  });
});

describe('of a program that fails beside one that does not', () => {
  const project = new Project();
  const text = `${yamlOf('list 300', ...listOf('limits', 'loads <= 1G'))}  second:\n    run: ./work end 3\n`;
  const make = (format: string): string => {
    const { status, stdout, stderr } = project.check(text, ['--format', format]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('dprof.yml:6:3: second: the program ended with')]);
    return stdout;
  };
  const message = 'second: the program ended with status 3, not 0: ./work end 3';

  test('text', () => {
    const said = make('text');
    expect(said).toMatch(/^work {2}passed {2}/);
    expect(said).toContain(`\nsecond  ERROR  ${message}\n`);
    expect(said).toMatch(/\n1 program could not be checked, 1 statement holds\n$/);
  });

  test('JSON', () => {
    const { programs, status } = JSON.parse(make('json')) as CheckResult;
    expect([status, programs.map((one) => one.status)]).toEqual(['failed', ['passed', 'error']]);
    expect(programs[1]).toMatchObject({
      error: { message },
      place: { line: 6, column: 3 },
      machine: null,
      trace: null,
    });
  });

  test('JUnit', () => {
    const { of, inside } = parseXml(make('junit'));
    expect(of).toMatchObject({ tests: '2', failures: '0', errors: '1' });
    const [{ of: named, inside: told }] = inside[1].inside;
    expect(named).toMatchObject({ classname: 'second', name: 'runs', line: '6' });
    expect([told[0].tag, told[0].of.message]).toEqual(['error', message]);
  });

  test('SARIF', () => {
    const { results, tool } = sarifOf(make('sarif'));
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(['runs']);
    expect(results.map(({ message: one }) => one.text.split('\n')[0])).toEqual([message]);
    expect(results[0].locations[0].physicalLocation.region.startLine).toBe(6);
  });

  test('GitHub', () => {
    const [first] = make('github').split('\n');
    const [one] = annotationsOf(first);
    expect([one.of.line, one.message]).toEqual(['6', message]);
  });

  test('Markdown', () => {
    expect(make('markdown')).toContain('**second** `./work end 3` **error**: second: the program ended with status 3');
  });
});

describe('pages', () => {
  const project = new Project();
  const page = (): string => project.read('pages/work.html');
  const check = (run: string): CheckResult => {
    const text = yamlOf(run, ...listOf('limits', 'struct node: l1-misses <= 151'));
    const words = ['--no-advice', '--html', project.path('pages'), '--format', 'json'];
    return JSON.parse(project.check(text, words).stdout) as CheckResult;
  };
  const viewOf = (): string => JSON.parse(unpackBlock(page(), 'contents')[0]).views[0].key as string;

  test('what failed first is a report; then it is compared with what passed; what passes has none', () => {
    expect(check('list 400').programs[0]).toMatchObject({ status: 'failed', page: project.path('pages/work.html') });
    expect(viewOf()).not.toBe('diff');
    expect(check('list 300').programs[0]).toMatchObject({ status: 'passed', page: null });
    expect(existsSync(project.path('pages/work.html'))).toBe(false);
    expect(check('list 400').programs[0].status).toBe('failed');
    expect(viewOf()).toBe('diff');
    expect(JSON.parse(unpackBlock(page(), 'view-0').join(''))).toMatchObject({
      before: { name: 'work, when it passed', command: ['./work', 'list', '300'] },
      after: { name: 'work', command: ['./work', 'list', '400'] },
    });
  });

  test('a profile that no page can be made of is passed over', () => {
    project.write('.dprof/cache/.passed-work.dprofile', 'damaged');
    expect(check('list 400').programs[0]).toMatchObject({ status: 'failed', page: project.path('pages/work.html') });
    expect(viewOf()).not.toBe('diff');
  });

  test('a run that is not repeated passes, too', () => {
    const lenient = yamlOf('list 400', ...listOf('limits', 'struct node: l1-misses <= 1000'));
    expect(check('list 300').programs[0].status).toBe('passed');
    expect(check('list 400').programs[0].status).toBe('failed');
    expect(project.result(lenient).programs[0]).toMatchObject({ status: 'passed', kept: true });
    expect(check('list 500').programs[0].status).toBe('failed');
    expect(JSON.parse(unpackBlock(page(), 'view-0').join(''))).toMatchObject({
      before: { command: ['./work', 'list', '400'] },
    });
  });

  test('a program that no longer runs leaves none of an earlier check', () => {
    expect(check('list 400').programs[0].status).toBe('failed');
    expect(check('end 3').programs[0]).toMatchObject({ status: 'error', page: null });
    expect(existsSync(project.path('pages/work.html'))).toBe(false);
  });

  test('what passes has passed where its profile cannot be kept', () => {
    const own = new Project();
    mkdirSync(own.path('.dprof/cache/.passed-work.dprofile/in-the-way'), { recursive: true });
    const text = yamlOf('list 300', ...listOf('limits', 'loads >= 1'));
    expect(own.result(text).programs[0]).toMatchObject({ status: 'passed', error: null });
  });

  test('a file where the folder should be', () => {
    project.write('taken', '');
    const text = yamlOf('list 400', ...listOf('limits', 'loads <= 1'));
    const { status, stderr } = project.check(text, ['--no-advice', '--html', project.path('taken')]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('taken can be made: EEXIST')]);
  });
});

const ODD = '\\ \u0007\u0000\ud800 \n::error::x';
/** Names of C++ can have any of these but the last few, and a damaged trace those too. */
const HOSTILE = `map<a|b, "c&d">\`x\` ]]> <script>alert(1)</script> [x](http://e) @user #1 100%,:: *b* _i_ ${ODD}`;

function hostileResult(statements = 1): CheckResult {
  const one: StatementResult = {
    text: `${HOSTILE}: loads <= 1`,
    kind: 'limit',
    status: 'failed',
    subject: HOSTILE,
    measure: 'loads',
    per: null,
    unit: '',
    value: [2, 2],
    against: [1, 1],
    place: { file: 'a b/%41#?.yml', line: 5, column: 9 },
    at: { file: `./src/${HOSTILE}.c`, line: 3, function: HOSTILE, share: 0.5 },
    because: [HOSTILE],
  };
  const program: ProgramResult = {
    name: 'work',
    command: ['./work', HOSTILE],
    status: 'failed',
    machine: HOSTILE,
    schedules: 1,
    references: 5,
    kept: false,
    trace: 'x',
    statements: Array.from({ length: statements }, () => one),
    advice: [],
    place: { file: 'dprof.yml', line: 2, column: 3 },
    page: null,
    error: null,
  };
  return { schema: 'dprof.check/1', file: 'dprof.yml', status: 'failed', programs: [program] };
}

describe('of hostile names', () => {
  test('SARIF', () => {
    const { results } = sarifOf(renderSarif(hostileResult(), '1.2.3'));
    expect(results[0].message.text).toContain('<script>');
  });

  test('SARIF has at most 5,000 results', () => {
    const text = renderSarif(hostileResult(6000), '1.2.3');
    expect(sarifOf(text).results).toHaveLength(5000);
    expect(text.length).toBeLessThan(10 << 20);
  });

  test('JUnit', () => {
    const [suite] = parseXml(renderJunit(hostileResult())).inside;
    const shown = HOSTILE.replaceAll(/[\u0000\u0007\ud800]/g, '');
    expect(suite.inside[0].of.name.replaceAll(/\s/g, ' ')).toBe(`${shown}: loads <= 1`.replaceAll(/\s/g, ' '));
    expect(suite.inside[0].inside[0].text).toContain('<script>alert(1)</script>');
  });

  test('GitHub: one annotation, and no command of the name', () => {
    const said = renderAnnotations(hostileResult());
    expect(said.trimEnd().split(/[\r\n]/)).toHaveLength(1);
    const [{ of, message }] = annotationsOf(said);
    expect(of.title).toBe(`dprof: work: ${HOSTILE}: loads <= 1`);
    expect(of.file).toBe(`src/${HOSTILE}.c`);
    expect(message).toContain(HOSTILE);
  });

  test('GitHub: the text behind it has no command either', () => {
    const text = withoutCommands(renderCheck(hostileResult(), chooseStyle({}, {}), new Map()));
    for (const line of text.split('\n')) expect(line).not.toMatch(/^\s*::/);
  });

  test('Markdown: no HTML, link, mention or cell of the name', () => {
    const text = renderMarkdown(hostileResult());
    const lines = text.split('\n');
    const rows = lines.filter((line) => line.startsWith('| **failed**'));
    expect(rows).toHaveLength(1);
    // Code spans show what is in them, whatever it is.
    const outside = text.replaceAll(/`[^`\n]*`/g, 'CODE').replaceAll(/&#\d+;/g, '');
    expect(outside).not.toMatch(/[<>[\]`@_~]|:\/\//);
    expect(outside.replaceAll('**', '')).not.toContain('*');
    const cells = rows[0].replaceAll(/\\[|]/g, '').split('|');
    expect(cells).toHaveLength(5);
  });

  test('Markdown of ever so many is not longer than a comment may be', () => {
    const text = renderMarkdown(hostileResult(3000));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/\nThe rest is too long to be shown here; [^\n]+\n$/);
  });
});
