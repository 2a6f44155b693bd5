// Stage: test. action.yml and the GitLab template, run as their runners do: steps by bash, inputs put in, and what they
// leave in the files that a runner reads.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { listOf, Project, ROOT, yamlOf } from './project.js';

type Values = Readonly<Record<string, string>>;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id?: string;
      readonly shell: string;
      readonly run: string;
      readonly env?: Values;
    }[];
  };
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;
const WITH_DPROF = `${join(ROOT, 'bin')}:/usr/local/bin:/usr/bin:/bin:${process.execPath.replace(/\/[^/]*$/, '')}`;

/** `${{ inputs.file }}`; all of these, or the expression is one that no test knows. */
function fillIn(text: string, values: Values): string {
  return text.replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`unknown expression ${name}`);
    return values[name];
  });
}

/** NAME=VALUE a line. */
function readPairs(text: string): Values {
  return Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** The composite action, in the folder, up to the first step that fails. */
function runAction(
  { folder }: Project,
  given: Values,
  path = WITH_DPROF,
): Ended & { readonly outputs: Values; readonly summary: string; readonly path: string } {
  const own = new Project({ path: '', summary: '', output: '', env: '' });
  expect(action.runs.using).toBe('composite');
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, one]) => [`inputs.${name}`, given[name] ?? one.default ?? '']),
  );
  for (const name of Object.keys(given)) expect(Object.keys(action.inputs)).toContain(name);
  let [now, values, ended] = [path, inputs, { status: 0, stdout: '', stderr: '' } as Ended];
  for (const step of action.runs.steps) {
    expect(step.shell).toBe('bash');
    expect(step.run, 'what is put into a script is code there').not.toContain('${{');
    const script = own.write('script.sh', step.run);
    const output = own.write('output', '');
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(value, values)]);
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: now,
        HOME: own.folder,
        DPROF_CACHE: '0',
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_PATH: own.path('path'),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: own.path('summary'),
        ...Object.fromEntries(env),
      },
    });
    ended = { status, stdout: ended.stdout + stdout, stderr: ended.stderr + stderr };
    now = [...own.read('path').split('\n').filter(Boolean), now].join(':');
    const left = Object.entries(readPairs(own.read('output')));
    values = { ...values, ...Object.fromEntries(left.map(([name, one]) => [`steps.${step.id}.outputs.${name}`, one])) };
    if (status !== 0) break;
  }
  const known = Object.fromEntries(Object.values(action.outputs).map(({ value }) => [value.slice(4, -3), '']));
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    fillIn(value, { ...known, ...values }),
  ]);
  return { ...ended, outputs: Object.fromEntries(outputs) as Values, summary: own.read('summary'), path: now };
}

const FAILS = yamlOf('list 300', ...listOf('limits', 'struct node: l1-misses <= 150, bytes <= 64'));
const PASSES = yamlOf('list 300', ...listOf('limits', 'struct node: l1-misses <= 151'));

describe('action.yml', () => {
  test('passes', () => {
    const project = new Project({ 'dprof.yml': PASSES });
    const { status, outputs, summary, stdout } = runAction(project, {});
    expect([status, outputs]).toEqual([
      0,
      { result: 'passed', sarif: 'dprof.sarif', junit: 'dprof-junit.xml', markdown: 'dprof.md', html: '' },
    ]);
    expect(summary).toContain('### dprof check: passed');
    expect(summary).toBe(project.read('dprof.md'));
    expect(stdout).not.toContain('::error');
    expect(project.read('dprof-junit.xml')).toContain('failures="0"');
    expect((JSON.parse(project.read('dprof.sarif')) as { runs: [{ results: unknown[] }] }).runs[0].results).toEqual([]);
  });

  test('fails, with annotations and what the outputs name', () => {
    const project = new Project({ 'dprof.yml': FAILS });
    const { status, outputs, summary, stdout } = runAction(project, { sarif: 'out/a b.sarif', junit: '' });
    expect([status, outputs]).toEqual([
      1,
      { result: 'failed', sarif: 'out/a b.sarif', junit: '', markdown: 'dprof.md', html: 'dprof-pages' },
    ]);
    expect(project.read('dprof-pages/work.html')).toContain('<html');
    expect(stdout).toMatch(
      /^::error file=[^\n]*,line=37,title=dprof%3A work%3A struct node%3A l1-misses <= 150::151%0A/,
    );
    expect(summary).toContain('### dprof check: failed');
    expect(existsSync(project.path('dprof-junit.xml'))).toBe(false);
    expect(project.read('out/a b.sarif')).toContain('"ruleId": "l1-misses"');
  });

  test('a file that is wrong, and one whose program fails, are annotated; files of an earlier check are gone', () => {
    const project = new Project({ 'dprof.yml': 'program: 5\n', 'dprof.sarif': 'old' });
    const wrong = runAction(project, {});
    expect([wrong.status, wrong.outputs]).toEqual([
      2,
      { result: 'wrong', sarif: '', junit: '', markdown: '', html: '' },
    ]);
    expect(wrong.stdout).toBe("::error file=dprof.yml,line=1,title=dprof check::unknown word 'program'\n");
    expect(wrong.stderr).toContain("dprof: dprof.yml:1:1: unknown word 'program'\nhint: did you mean 'programs'?");
    project.write('dprof.yml', yamlOf('die', ...listOf('limits', 'loads <= 1')));
    const failed = runAction(project, {});
    expect([failed.status, failed.outputs.result]).toEqual([1, 'failed']);
    expect(failed.stdout).toBe(
      '::error file=dprof.yml,line=2,title=dprof check::work: the program ended by SIGSEGV, not 0: ./work die\n' +
        'work  ERROR  work: the program ended by SIGSEGV, not 0: ./work die\n\n1 program could not be checked\n',
    );
    expect(project.read('dprof-junit.xml')).toContain('errors="1"');
  });

  test('inputs are words, not code', () => {
    const project = new Project({ 'dprof.yml': PASSES });
    const hostile = '$(touch pwned)`touch pwned`"; touch pwned; #';
    expect(runAction(project, { file: hostile }).outputs.result).toBe('wrong');
    expect(runAction(project, { programs: hostile }).outputs.result).toBe('wrong');
    expect(runAction(project, { sarif: hostile, programs: 'work' }).outputs.result).toBe('passed');
    expect(existsSync(project.path('pwned'))).toBe(false);
    expect(existsSync(project.path(hostile))).toBe(true);
  });

  test('where dprof is not there it is built, and found', () => {
    const tools = new Project({ npm: `#!/bin/sh\necho "npm $* in $PWD"\n`, 'dprof.yml': PASSES });
    chmodSync(tools.path('npm'), 0o755);
    const { status, stdout, path } = runAction(
      tools,
      {},
      `${tools.folder}:${WITH_DPROF.slice(WITH_DPROF.indexOf(':') + 1)}`,
    );
    expect(status).toBe(0);
    expect(stdout).toContain(`npm run setup in ${ROOT}\n`);
    expect(path.split(':')[0]).toBe(join(ROOT, 'bin'));
  });

  test('every input and output is described', () => {
    for (const one of Object.values(action.inputs)) expect(one.description).toMatch(/[.]$/);
    const manual = readFileSync(join(ROOT, 'docs/check.md'), 'utf8');
    for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
      expect(manual).toContain(`\`${name}\``);
  });
});

interface Job {
  readonly variables: Values;
  readonly script: readonly string[];
  readonly cache: { readonly paths: readonly string[] };
  readonly artifacts: {
    readonly when: string;
    readonly paths: readonly string[];
    readonly reports: { readonly junit: string };
  };
}

describe('the GitLab template', () => {
  const template = parse(readFileSync(join(ROOT, 'ci/gitlab/dprof.gitlab-ci.yml'), 'utf8')) as Record<string, Job>;
  const job = template['dprof-check'];

  // A runner takes bash where the image has it, or else sh.
  function runJob(project: Project, given: Values = {}, shell = ['bash', '-eo', 'pipefail']): Ended {
    const { status, stdout, stderr } = spawnSync(shell[0], [...shell.slice(1), '-c', job.script.join('\n')], {
      cwd: project.folder,
      encoding: 'utf8',
      env: { PATH: WITH_DPROF, DPROF_CACHE: '0', ...job.variables, ...given },
    });
    return { status, stdout, stderr };
  }

  test('is one job', () => {
    expect(Object.keys(template)).toEqual(['dprof-check']);
    expect(job.artifacts.when).toBe('always');
    expect(job.artifacts.paths).toContain(job.artifacts.reports.junit);
  });

  test.each([
    [PASSES, 0],
    [FAILS, 1],
  ])('leaves its artifacts and the cache', (text, status) => {
    const project = new Project({ 'dprof.yml': text });
    expect(runJob(project).status).toBe(status);
    for (const path of [...job.artifacts.paths, ...job.cache.paths])
      expect(existsSync(project.path(path)), path).toBe(path !== 'dprof-pages' || status === 1);
    expect(project.read(job.artifacts.reports.junit)).toContain(`failures="${status}"`);
    expect(runJob(project, {}, ['sh', '-e']).stdout).toContain('nothing changed');
  });

  test('of another file, and some programs', () => {
    const project = new Project({ 'other.yml': `${PASSES}  second:\n    run: ./work end 3\n` });
    expect(runJob(project, { CHECK_FILE: 'other.yml' }).status).toBe(1);
    expect(project.read('dprof-junit.xml')).toContain(
      '<testsuites name="dprof check" tests="2" failures="0" errors="1">',
    );
    expect(runJob(project, { CHECK_FILE: 'other.yml', CHECK_PROGRAMS: 'work' }).status).toBe(0);
  });
});
